import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PostgresClient
import Testing

@Suite struct OperatorActionTests {
    private static let olga = AuditAuthor(operator: "Olga", requestID: "r-1")

    @Test func `operators' changes are in the audit log, refused ones are not`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [try await world.player("Ada"), try await world.player("Bo")])
            let fight = try await world.commands.startBossFight(of: party.id, against: "glitch", by: Self.olga)
            await #expect(throws: CommandError.party(.adventureRunning)) {
                try await world.commands.startBossFight(of: party.id, against: "glitch", by: Self.olga)
            }
            _ = try await world.commands.end(fight.id, by: Self.olga)
            await #expect(throws: CommandError.adventure(.adventureOver)) {
                try await world.commands.end(fight.id, by: Self.olga)
            }
            let entries = try await world.store.auditEntries(limit: 10)
            #expect(entries.map(\.action) == [.adventureEnd, .bossStart])
            #expect(entries.allSatisfy { $0.author == Self.olga && $0.shard == party.id.shard })
            #expect(entries.map(\.target) == ["adventure/\(fight.id)", "party/\(party.id)"])
            #expect(entries[0].before == #"{"partyID":"\#(party.id)","status":"running","tick":"0"}"#)
            #expect(entries[0].after == #"{"outcome":"endedByOperator","status":"ended"}"#)
            #expect(entries[1].after == #"{"adventureID":"\#(fight.id)","boss":"glitch","heroes":"2"}"#)
            #expect(try await world.store.verifyAudit(from: .beginning, limit: 10).entries == 2)
        }
    }

    @Test func `disbanding a party ends its adventure and removes members and code`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [try await world.player("Ada"), try await world.player("Bo")])
            let journey = try await world.startJourney(party)
            try await world.commands.disband(party.id, by: Self.olga)

            let stored = try #require(try await world.store.adventure(journey.id))
            #expect(stored.adventure.status == .ended(.endedByOperator) && stored.endedAt != nil)
            let events = try await world.store.events(of: journey.id, after: 0, limit: 100)
            #expect(events.last?.event.kind == "adventureEnded")
            #expect(try await world.store.party(party.id) == nil)
            await #expect(throws: CommandError.party(.unknownInviteCode)) {
                try await world.join(party, try await world.player("Cy"))
            }
            await #expect(throws: CommandError.unknownParty) {
                try await world.commands.disband(party.id, by: Self.olga)
            }
            #expect(
                try await world.store.auditEntries(limit: 10).map(\.action) == [.partyDisband, .adventureEnd]
            )
            // Its members may create and join other parties.
            #expect(try await world.store.parties(of: party.leaderID).isEmpty)
        }
    }

    /// Registers an activity of a player.
    private func register(
        _ environment: PushEnvironment,
        for adventure: AdventureID,
        by player: PlayerID,
        in world: World
    ) async throws {
        let id = ActivityID(rawValue: UUID())
        _ = try await world.commands.register(
            ActivityRegistration(
                id: id,
                deviceID: DeviceID(rawValue: player.rawValue),
                pushToken: Array("\(id)".utf8),
                environment: environment,
                frequentPushesEnabled: true,
                locale: nil
            ),
            for: adventure,
            by: player,
            request: nil
        ) { _, _ in EncodedResponse(status: 201, body: "") }
    }

    /// Registers a dispatcher without shards.
    private func startDispatcher(sendingTo environment: PushEnvironment, in world: World) async throws {
        try await world.store.register(
            dispatcher: UUID(),
            knowsAll: true,
            sendingTo: [environment],
            for: .seconds(600)
        )
    }

    @Test func `a dry run counts only phones to whose environment a running dispatcher sends`() async throws {
        try await World.with { world in
            let player = try await world.player("Ada")
            let party = try await world.party(of: [player])
            try await world.commands.device(of: player, in: .sandbox, pushToStartToken: [1])
            func startable() async throws -> Int {
                try await world.commands.dryRun(.bossFight(party.id, "glitch"), by: Self.olga).startableActivities
            }
            #expect(try await startable() == 0)
            try await startDispatcher(sendingTo: .simulator, in: world)
            #expect(try await startable() == 0)

            let journey = try await world.startJourney(party)
            for environment in [PushEnvironment.sandbox, .sandbox, .simulator] {
                try await register(environment, for: journey.id, by: player, in: world)
            }
            func activities() async throws -> Int {
                try await world.commands.dryRun(.end(journey.id), by: Self.olga).activities
            }
            #expect(try await activities() == 1)
            try await startDispatcher(sendingTo: .sandbox, in: world)
            #expect(try await activities() == 3)
        }
    }

    @Test func `a party is disbanded although the end of its adventure is not recorded yet`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [try await world.player("Ada")])
            let journey = try await world.startJourney(party)
            let sql = "UPDATE adventures SET ends_at = ends_at + interval '1 year'"
            _ = try await world.pool.query(PostgresQuery(Statement("test.late", sql)))
            world.clock.advance(by: journey.projectedEnd - world.clock.now)
            await #expect(throws: CommandError.adventure(.adventureOver)) {
                try await world.commands.end(journey.id, by: Self.olga)
            }
            try await world.commands.disband(party.id, by: Self.olga)
            #expect(try await world.store.party(party.id) == nil)
            #expect(try await world.store.adventure(journey.id)?.endedAt == journey.projectedEnd)
        }
    }

    @Test func `a dry run reports the outcome and changes nothing`() async throws {
        try await World.with { world in
            let player = try await world.player("Ada")
            let party = try await world.party(of: [player])
            try await startDispatcher(sendingTo: .simulator, in: world)
            try await world.commands.device(of: player, in: .simulator, pushToStartToken: [1])
            let fight = try await world.commands.dryRun(.bossFight(party.id, "glitch"), by: Self.olga)
            #expect(fight.startableActivities == 1 && fight.activities == 0)
            #expect(fight.outcome.events.first?.event.kind == "adventureStarted")
            #expect(fight.outcome.adventure?.adventure.status == .running)
            #expect(try await world.store.party(party.id) == party)
            #expect(try await world.store.auditEntries(limit: 10).isEmpty)

            let journey = try await world.startJourney(party)
            try await register(.simulator, for: journey.id, by: player, in: world)
            let before = try await world.store.events(of: journey.id, after: 0, limit: 100).count
            let dryRun = try await world.commands.dryRun(.disband(party.id), by: Self.olga)
            #expect(dryRun.activities == 1)
            #expect(dryRun.outcome.events.last?.event.kind == "adventureEnded")
            #expect(try await world.adventure(of: party.id).adventure.status == .running)
            #expect(try await world.store.events(of: journey.id, after: 0, limit: 100).count == before)

            // The real run has the same outcome.
            let outcome = try await world.commands.perform(.disband(party.id), by: Self.olga)
            #expect(outcome.auditChanges == dryRun.outcome.auditChanges)
            #expect(outcome.events.map(\.event) == dryRun.outcome.events.map(\.event))
        }
    }
}
