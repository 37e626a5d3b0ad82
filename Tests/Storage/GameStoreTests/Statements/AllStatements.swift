import Foundation
import PostgresClient

@testable import GameStore

/// Every statement of the store, except those of migrations.
enum AllStatements {
    static let all: [Statement] =
        [
            ActivityStatements.read, ActivityStatements.count, ActivityStatements.list, ActivityStatements.named,
            ActivityStatements.live, ActivityStatements.liveOfPlayer, ActivityStatements.ofPlayer,
            ActivityStatements.ofParty, ActivityStatements.newestOfPlayer, ActivityStatements.upsert,
            ActivityStatements.leave,
            AdventureStatements.read, AdventureStatements.journeys, AdventureStatements.dueFights,
            AdventureStatements.insert, AdventureStatements.advance, AdventureStatements.close,
            AdventureStatements.recordInput, AdventureStatements.opening, AdventureStatements.inputs,
            AdventureStatements.setTurns, AdventureStatements.removeTurns,
            AskedPushStatements.read, AskedPushStatements.upsert,
            AuditStatements.head, AuditStatements.moveHead, AuditStatements.ends, AuditStatements.chain,
            AuditStatements.list, AuditStatements.listOfAuthor, AuditStatements.insert, AuditStatements.marks,
            CampaignStatements.insert, CampaignStatements.read, CampaignStatements.candidates,
            CampaignStatements.served, CampaignStatements.serve,
            DecisionStatements.read, DecisionStatements.live, DecisionStatements.upsert,
            DiagnosisStatements.clock, DiagnosisStatements.version, DiagnosisStatements.serverConnections,
            DiagnosisStatements.ownConnections, DiagnosisStatements.blockers, DiagnosisStatements.oldSnapshots,
            DiagnosisStatements.leases,
            DiagnosisStatements.unsent, DiagnosisStatements.liveActivities,
            DispatcherStatements.announce, DispatcherStatements.rank, DispatcherStatements.count,
            DispatcherStatements.retire, DispatcherStatements.gone,
            ErasureStatements.note, ErasureStatements.list, ErasureStatements.close, ErasureStatements.forgetProfile,
            ErasureStatements.forgetTokens, ErasureStatements.forgetPushToStart, ErasureStatements.forgetParties,
            ErasureStatements.forgetPartyName,
            IdempotencyStatements.read, IdempotencyStatements.keep, IdempotencyStatements.remove,
            LeaseStatements.free, LeaseStatements.held, LeaseStatements.take, LeaseStatements.renew,
            LeaseStatements.giveBack, LeaseStatements.ofHolder, LeaseStatements.patience, LeaseStatements.checkpoint,
            LeaseStatements.mark,
            LogStatements.append, LogStatements.tail, LogStatements.followed, LogStatements.page,
            OperatorStatements.put, OperatorStatements.named, OperatorStatements.revoke, OperatorStatements.list,
            OperatorStatements.find,
            PartyStatements.read, PartyStatements.readSeveral, PartyStatements.insert, PartyStatements.update,
            PartyStatements.upsert,
            PartyStatements.removeOthers, PartyStatements.currentMembers, PartyStatements.reserveCode,
            PartyStatements.findCode, PartyStatements.findParties,
            PartyListStatements.scan, PartyListStatements.read, PartyListStatements.members,
            PlaceStatements.lockPlayer, PlaceStatements.others, PlaceStatements.memberships, PlaceStatements.claim,
            PlaceStatements.settle,
            PlayerStatements.insert, PlayerStatements.insertToken, PlayerStatements.findToken,
            PlayerStatements.settleToken, PlayerStatements.addToken, PlayerStatements.revokeToken,
            PlayerStatements.validTokens, PlayerStatements.read,
            PushToStartStatements.keep, PushToStartStatements.forget, PushToStartStatements.read,
            PushToStartStatements.claim,
            RetentionStatements.mark, RetentionStatements.decisions, RetentionStatements.activities,
            RetentionStatements.askedPushes, RetentionStatements.outlived, RetentionStatements.inputs,
            RetentionStatements.events,
            RetentionStatements.disbanded, RetentionStatements.guests, RetentionStatements.places,
            RetentionStatements.code, RetentionStatements.names, RetentionStatements.reserved,
            RetentionStatements.used, RetentionStatements.unused,
            ShardStatements.lock, ShardStatements.lockIfFree, ShardStatements.move, ShardStatements.due,
            ShardStatements.heads,
            StatisticsStatements.parties, StatisticsStatements.players, StatisticsStatements.activities,
            StatisticsStatements.shards,
            StoredOfPlayerStatements.registration, StoredOfPlayerStatements.tokens,
            StoredOfPlayerStatements.pushToStart, StoredOfPlayerStatements.adventures,
            StoredOfPlayerStatements.inputs, StoredOfPlayerStatements.keys,
            VitalsStatements.vitals,
        ] + ErasureStatements.ofShard

    /// COPY, which PostgreSQL neither prepares nor plans: a measurement fills its database by them.
    static let copies = [
        StockStatements.parties, StockStatements.members, StockStatements.adventures, StockStatements.turns,
        StockStatements.activities, StockStatements.decisions,
    ]

    /// The targets without statements of the domain: the protocol of PostgreSQL, and measurements of the server.
    private static let silentTargets: Set = ["PostgresClient", "Benchmarks"]

    /// The names of the statements in the sources of everything that may hold one.
    /// - Returns: the names, and the places where a statement is made of no literal.
    static func inSources() throws -> (names: [String], odd: [String]) {
        let folder = URL(filePath: #filePath).appending(path: "../../../../../Sources").standardized
        var names: [String] = []
        var odd: [String] = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", !file.pathComponents.contains(where: silentTargets.contains) else {
                continue
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.split(separator: /\bStatement(?:\.init)?\(/, omittingEmptySubsequences: false).dropFirst()
            {
                if let literal = part.prefixMatch(of: /\s*"([^"\\]+)"/) {
                    names.append(String(literal.1))
                } else {
                    odd.append("\(file.lastPathComponent): Statement(\(part.prefix(40))")
                }
            }
        }
        return (names, odd)
    }
}
