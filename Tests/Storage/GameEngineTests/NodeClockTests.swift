import Encodings
import GameCore
import GameLog
import GameStore
import GameTestSupport
import Logging
import PostgresClient
import ServiceRuntime
import Testing

@testable import GameEngine

/// The clock of a node, which decides nothing.
@Suite struct NodeClockTests {
    private func commands(of world: World, clockAhead step: Duration) -> GameCommands {
        GameCommands(
            store: world.store,
            settings: world.settings,
            runtime: Runtime(now: { world.clock.now + step }, randomBits: world.runtime.randomBits),
            wakeSignal: WakeSignal()
        )
    }

    @Test(arguments: [Duration.seconds(-7_200), .seconds(90_000)])
    func `a node's clock does not decide how long the response to a request is repeated`(step: Duration) async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let commands = commands(of: world, clockAhead: step)
            func create() async throws -> String {
                try await commands.createParty(
                    named: try Name("Climbers"),
                    capacity: 4,
                    founder: ada,
                    request: IdempotentRequest(key: "one", hash: [1])
                ) { EncodedResponse(status: 201, body: $0.id.description) }.body
            }
            let first = try await create()
            world.clock.advance(by: GameCommands.idempotencyRecordLifetime - .seconds(1))
            #expect(try await create() == first)
            world.clock.advance(by: .seconds(1))
            #expect(try await create() != first)
        }
    }

    @Test func `a node whose clock is ahead releases no activity that was registered just now`() async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let journey = try await world.startJourney(try await world.party(of: [ada]))
            let ahead = commands(of: world, clockAhead: .seconds(3_600))
            var generator = world.runtime.generator()
            let registration = ActivityRegistration(
                id: ActivityID(at: world.clock.now, using: &generator),
                pushToken: [1, 2, 3],
                environment: .simulator,
                frequentPushesEnabled: true,
                locale: nil
            )
            _ = try await ahead.register(registration, for: journey.id, by: ada, request: nil) { _, _ in
                EncodedResponse(status: 201, body: "")
            }
            world.clock.advance(by: .seconds(1))
            #expect(try await ahead.releaseActivities(of: ada, butFor: []).isEmpty)
            world.clock.advance(by: GameCommands.listMargin)
            #expect(try await ahead.releaseActivities(of: ada, butFor: []) == [registration.id])
        }
    }

    @Test func `the database's time decides which idempotency records have expired`() async throws {
        try await World.with { world in
            let store = GameStore(pool: world.pool)
            let ada = try await world.player("Ada")
            let party = try await world.party(of: [ada])
            try await store.withShard(party.id.shard) { transaction in
                let record = IdempotencyRecord(requestHash: [], status: 200, body: "", partyVersion: nil)
                transaction.store(record, for: "key", of: .player(ada))
            }
            let keys = Statement("test.keys", "SELECT FROM idempotency_keys")
            for (age, left) in [(GameCommands.idempotencyRecordLifetime - .seconds(3_600), 1), (.seconds(86_401), 0)] {
                let retentionWorker = RetentionWorker(
                    store: store,
                    timeAhead: age,
                    logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
                )
                var code: InviteCode?
                try await retentionWorker.sweep(codesAfter: &code)
                #expect(try await world.pool.query(PostgresQuery(keys)).count == left)
            }
        }
    }
}
