import Foundation
import PostgresClient
import TestSupport

@testable import GameFixtures
@testable import GameStore

/// Every statement of the domain, except those of migrations.
enum AllStatements {
    static let all: [Statement] =
        [
            ActivityStatements.read, ActivityStatements.count, ActivityStatements.list, ActivityStatements.named,
            ActivityStatements.live, ActivityStatements.liveOfPlayerInShards, ActivityStatements.liveOfPlayer,
            ActivityStatements.ofPlayer,
            ActivityStatements.ofParty, ActivityStatements.newestOfPlayer, ActivityStatements.ofToken,
            ActivityStatements.upsert, ActivityStatements.setLocale, ActivityStatements.release,
            AdventureStatements.read, AdventureStatements.readSeveral, AdventureStatements.dueEnds,
            AdventureStatements.insert,
            AdventureStatements.reschedule, AdventureStatements.correctEnd,
            AdventureStatements.noteFault, AdventureStatements.clearFault,
            AdventureStatements.close, AdventureStatements.faulty,
            AdventureStatements.readKind, AdventureStatements.abandon,
            RequestedPushStatements.read, RequestedPushStatements.upsert,
            AppleAccountStatements.find, AppleAccountStatements.ofPlayer, AppleAccountStatements.link,
            AppleAccountStatements.unlink, AppleAccountStatements.use,
            AwardStatements.insert, AwardStatements.pending, AwardStatements.remove,
            ProgressStatements.lock, ProgressStatements.known, ProgressStatements.scores, ProgressStatements.inParties,
            ProgressStatements.insertHistory, ProgressStatements.update, ProgressStatements.history,
            ProgressStatements.deleteHistory, ProgressStatements.removeHistory,
            LeaderboardStatements.players, LeaderboardStatements.top, LeaderboardStatements.leader,
            LeaderboardStatements.above,
            LeaderboardStatements.below,
            LeaderboardStatements.own, LeaderboardStatements.histogram, LeaderboardStatements.setScores,
            LeaderboardStatements.countPlayers, LeaderboardStatements.deleteScores,
            LeaderboardStatements.removeScores, LeaderboardStatements.removeBuckets,
            AuditStatements.head, AuditStatements.moveHead, AuditStatements.ends, AuditStatements.chain,
            AuditStatements.list, AuditStatements.listOfAuthor, AuditStatements.insert, AuditStatements.hashes,
            ClusterStatements.isCluster, ClusterStatements.workers, ClusterStatements.prepared,
            ClusterStatements.lockBlockers, ClusterStatements.propagatesLimits,
            CampaignStatements.insert, CampaignStatements.read, CampaignStatements.candidates,
            CampaignStatements.fights, CampaignStatements.insertFights,
            ChannelStatements.want, ChannelStatements.lock, ChannelStatements.update, ChannelStatements.list,
            ChannelStatements.due, ChannelStatements.ofOwner, ChannelStatements.count, ChannelStatements.remove,
            ChannelStatements.keep,
            ChannelStatements.release, ChannelStatements.note, ChannelStatements.request, ChannelStatements.keepings,
            ChannelStatements.kept,
            DecisionStatements.read, DecisionStatements.readSeveral, DecisionStatements.live, DecisionStatements.upsert,
            DiagnosisStatements.clock, DiagnosisStatements.version, DiagnosisStatements.serverConnections,
            DiagnosisStatements.ownConnections, DiagnosisStatements.blockers, DiagnosisStatements.oldSnapshots,
            DiagnosisStatements.leases, DiagnosisStatements.lostCommits,
            DiagnosisStatements.unsent, DiagnosisStatements.liveActivities,
            DispatcherStatements.register, DispatcherStatements.renew, DispatcherStatements.setNotDurable,
            DispatcherStatements.end, DispatcherStatements.note, DispatcherStatements.list,
            DispatcherStatements.count, DispatcherStatements.sends, DispatcherStatements.markOver,
            DispatcherStatements.remove,
            ErasureStatements.record, ErasureStatements.list, ErasureStatements.complete,
            ErasureStatements.attempt, ErasureStatements.oldest, ErasureStatements.redactResponses,
            ErasureStatements.shardsOfActivities, ErasureStatements.shardsOfRecords,
            ErasureStatements.deleteProfile,
            ErasureStatements.deleteRecoveryCodes, ErasureStatements.deleteRegistrations,
            ErasureStatements.deleteTokens, ErasureStatements.deleteDevices, ErasureStatements.deleteParties,
            ErasureStatements.clearPartyName,
            IdempotencyStatements.read, IdempotencyStatements.find, IdempotencyStatements.upsert,
            IdempotencyStatements.removeSurplus, IdempotencyStatements.remove,
            LeaseStatements.free, LeaseStatements.held, LeaseStatements.acquire, LeaseStatements.release,
            LeaseStatements.readCheckpoint, LeaseStatements.checkpoint,
            LeaseStatements.flushActivities, LeaseStatements.noteLoss,
            LogStatements.append, LogStatements.tail, LogStatements.moment,
            OperatorStatements.upsert, OperatorStatements.named, OperatorStatements.revoke, OperatorStatements.list,
            OperatorStatements.find,
            PartyStatements.read, PartyStatements.readSeveral, PartyStatements.insert, PartyStatements.update,
            PartyStatements.endAdventures, PartyStatements.insertMembers, PartyStatements.setExperience,
            PartyStatements.removeOthers, PartyStatements.setProfile, PartyStatements.running,
            PartyStatements.currentMembers, PartyStatements.reserveCode,
            PartyStatements.findCode, PartyStatements.findParties,
            PartyListStatements.scan, PartyListStatements.read, PartyListStatements.members,
            MembershipSlotStatements.lockPlayer, MembershipSlotStatements.list, MembershipSlotStatements.memberships,
            MembershipSlotStatements.claim, MembershipSlotStatements.markLeft, MembershipSlotStatements.withdraw,
            MembershipSlotStatements.release, MembershipSlotStatements.releaseAsLeft,
            PlayerStatements.insert, PlayerStatements.insertToken, PlayerStatements.findToken,
            PlayerStatements.confirmToken, PlayerStatements.addToken, PlayerStatements.revokeToken,
            PlayerStatements.validTokens, PlayerStatements.shardSecret, PlayerStatements.read,
            PlayerListStatements.named, PlayerListStatements.withDevice, PlayerListStatements.read,
            ProfileStatements.lock, ProfileStatements.update, ProfileStatements.pending, ProfileStatements.complete,
            PlayerTokenStatements.list, PlayerTokenStatements.noteUse, PlayerTokenStatements.revokeOldest,
            PlayerTokenStatements.revoke, PlayerTokenStatements.revokeOthers,
            RecoveryCodeStatements.find, RecoveryCodeStatements.list, RecoveryCodeStatements.insert,
            RecoveryCodeStatements.lockUnusedToken, RecoveryCodeStatements.lock, RecoveryCodeStatements.deleteOthers,
            RecoveryCodeStatements.confirm,
            RegistrationStatements.claim, RegistrationStatements.read, RegistrationStatements.expired,
            RegistrationStatements.remove,
            DeviceStatements.ofPlayer, DeviceStatements.ofPlayers, DeviceStatements.startable, DeviceStatements.upsert,
            DeviceStatements.delete,
            DeviceStatements.withPushToStartToken, DeviceStatements.withAlertToken,
            DeviceStatements.clearPushToStartToken, DeviceStatements.clearAlertToken, DeviceStatements.claimStart,
            FallbackStatements.devices, FallbackStatements.claim, FallbackStatements.mark, FallbackStatements.marked,
            FallbackStatements.newlyMarked,
            DeviceStatements.removeUnused, DeviceStatements.withWidgetToken, DeviceStatements.clearWidgetToken,
            WidgetStatements.mark, WidgetStatements.due, WidgetStatements.claim, WidgetStatements.repeat,
            RetentionStatements.ended, RetentionStatements.mark, RetentionStatements.decisions,
            RetentionStatements.activities,
            ReceiptStatements.read, ReceiptStatements.readSeveral, ReceiptStatements.readOfDevice,
            ReceiptStatements.write,
            ReceiptStatements.sample,
            RetentionStatements.receipts,
            RetentionStatements.requestedPushes, RetentionStatements.endActivities, RetentionStatements.entries,
            RetentionStatements.disbanded, RetentionStatements.formerMembers, RetentionStatements.memberships,
            RetentionStatements.code, RetentionStatements.names, RetentionStatements.reserved,
            RetentionStatements.used, RetentionStatements.unused,
            RaidStatements.insert, RaidStatements.read, RaidStatements.lock, RaidStatements.lockIfFree,
            RaidStatements.list, RaidStatements.current, RaidStatements.open, RaidStatements.update,
            RaidStatements.settle,
            RaidStatements.members, RaidStatements.insertMember, RaidStatements.insertDecisions,
            RaidStatements.decisions, RaidStatements.insertHistory, RaidStatements.history,
            RaidMemberStatements.read, RaidMemberStatements.list, RaidMemberStatements.progress,
            RaidMemberStatements.insert, RaidMemberStatements.update, RaidMemberStatements.writeRounds,
            RaidMemberStatements.rounds, RaidMemberStatements.blows, RaidMemberStatements.removeRounds,
            RaidMemberStatements.fights,
            RaidMemberStatements.fightsAmong, RaidMemberStatements.taken,
            RaidMemberStatements.dealt, RaidMemberStatements.dealtBefore, RaidMemberStatements.writeStandings,
            RaidRetentionStatements.rounds, RaidRetentionStatements.ended, RaidRetentionStatements.decisions,
            RaidRetentionStatements.members, RaidRetentionStatements.raids, RaidRetentionStatements.parts,
            RaidRetentionStatements.entries,
            RaidMemberStatements.standings, RaidMemberStatements.damage,
            SpectatorStatements.open, SpectatorStatements.close, SpectatorStatements.read, SpectatorStatements.find,
            SpectatorStatements.valid, SpectatorStatements.watched, SpectatorStatements.last,
            ShardStatements.lock, ShardStatements.lockIfFree, ShardStatements.move, ShardStatements.tick,
            ShardStatements.due, ShardStatements.dueAmong, ShardStatements.heads, ShardStatements.moved,
            StatisticsStatements.parties, StatisticsStatements.players, StatisticsStatements.activities,
            StatisticsStatements.shards,
            PlayerDataStatements.registration,
            PlayerDataStatements.adventures,
            PlayerDataStatements.inputs, PlayerDataStatements.keys, PlayerDataStatements.parties,
            PlayerDataStatements.listing,
            BacklogStatements.read, BacklogStatements.oldestSnapshot,
            OutlineStatements.endedAdventures, OutlineStatements.inputs, OutlineStatements.adventures,
            OutlineStatements.disbandedParties, OutlineStatements.campaignFights, OutlineStatements.parties,
            OutlineStatements.leftParties,
            QuotaStatements.spend, QuotaStatements.refund, QuotaStatements.remove, ErasureStatements.deleteQuotas,
            FixtureStatements.lockShard, FixtureStatements.updateShard,
        ] + ErasureStatements.ofShard

    /// The COPY statements of fixtures, which PostgreSQL neither prepares nor plans.
    static let copies = [
        FixtureStatements.parties, FixtureStatements.members, FixtureStatements.adventures,
        FixtureStatements.activities, FixtureStatements.decisions,
    ]

    /// The SET statements, which the command PREPARE does not accept, and which have no plan.
    static let settings = ShardStatements.limits.map(\.statement) + LeaseStatements.lockTimeouts.map(\.statement)

    /// The targets without statements of the domain: the PostgreSQL client, and benchmarks of the server.
    private static let ignoredTargets: Set = ["PostgresClient", "Benchmarks"]

    /// Returns the names of all statements in the sources.
    /// - Returns: the names, and the statements whose name is not a literal.
    static func inSources() throws -> (names: [String], withoutLiteral: [String]) {
        let folder = ProjectFiles.root.appending(path: "Sources")
        var names: [String] = []
        var withoutLiteral: [String] = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", !file.pathComponents.contains(where: ignoredTargets.contains) else {
                continue
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.split(separator: /\bStatement(?:\.init)?\(/, omittingEmptySubsequences: false).dropFirst()
            {
                if let literal = part.prefixMatch(of: /\s*"([^"\\]+)"/) {
                    names.append(String(literal.1))
                } else {
                    withoutLiteral.append("\(file.lastPathComponent): Statement(\(part.prefix(40))")
                }
            }
        }
        return (names, withoutLiteral)
    }
}
