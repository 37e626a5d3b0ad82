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
                deviceID: try await ahead.device(of: ada),
                pushToken: [1, 2, 3],
                environment: .simulator,
                frequentPushesEnabled: true,
                locale: nil
            )
            _ = try await ahead.register(registration, for: journey.id, by: ada, request: nil) { _, _ in
                EncodedResponse(status: 201, body: "")
            }
            world.clock.advance(by: .seconds(1))
            #expect(try await ahead.releaseActivities(of: ada, on: registration.deviceID, butFor: []).released.isEmpty)
            world.clock.advance(by: GameCommands.listMargin)
            #expect(
                try await ahead.releaseActivities(of: ada, on: registration.deviceID, butFor: []).released == [
                    registration.id
                ]
            )
        }
    }

    @Test(arguments: [Duration.seconds(-3_600), .seconds(3_600)])
    func `a node's clock does not decide how long a claimed membership slot counts`(step: Duration) async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let commands = commands(of: world, clockAhead: step)
            func create() async throws {
                _ = try await commands.createParty(named: try Name("Climbers"), capacity: 4, founder: ada, request: nil)
                {
                    _ in EncodedResponse(status: 201, body: "")
                }
            }
            var generator = world.runtime.generator()
            for _ in 1...GameCommands.maxParties {
                _ = try await world.store.claimMembershipSlot(
                    of: ada,
                    in: PartyID(at: world.clock.now, using: &generator),
                    limit: GameCommands.maxParties,
                    claimsLastingFor: GameCommands.maxRequestDuration
                )
            }
            await #expect(throws: CommandError.tooManyParties) { try await create() }
            world.clock.advance(by: GameCommands.maxRequestDuration + .seconds(1))
            try await create()
            #expect(try await world.party(of: [world.player("Ben")]).members[0].joinedAt == world.clock.now)
        }
    }

    @Test(arguments: [Duration.seconds(-3_600), .seconds(3_600)])
    func `a node's clock decides neither when an invite code is unused nor when an erasure is completed`(
        step: Duration
    ) async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let commands = commands(of: world, clockAhead: step)
            let reserved = Statement("test.reserved", "SELECT reserved_at FROM invite_codes ORDER BY reserved_at DESC")
            _ = try await commands.createParty(named: try Name("Climbers"), capacity: 4, founder: ada, request: nil) {
                _ in EncodedResponse(status: 201, body: "")
            }
            let moment = try await world.pool.query(PostgresQuery(reserved))[0].decode(PostgresTimestamp.self)
            #expect(moment.microseconds == world.clock.now.microseconds)
            try await commands.erase(ada)
            world.clock.advance(by: GameCommands.erasureMargin)
            #expect(try await commands.finishErasures(limit: 10) == 0)
            world.clock.advance(by: .seconds(1))
            #expect(try await commands.finishErasures(limit: 10) == 1)
        }
    }

    /// Plays a journey with a companion who joins late, sending each command to another node.
    /// - Parameter steps: how far ahead the clocks of the nodes are.
    /// - Returns: the events with their times since the journey began.
    /// - Throws: errors of the commands.
    private func playJourney(on steps: [Duration]) async throws -> [String] {
        try await World.with { world in
            let nodes = steps.map { commands(of: world, clockAhead: $0) }
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: [ada])
            let journey = try await world.startJourney(party)
            _ = try await nodes[0].join(code: party.inviteCode, player: ben, request: nil) { _ in
                EncodedResponse(status: 200, body: "")
            }
            var isOver = false
            for turn in 0..<200 where !isOver {
                world.clock.advance(by: .seconds(5))
                _ = try await world.engine().runPollCycle()
                if turn.isMultiple(of: 7) {
                    do {
                        let node = nodes[turn % nodes.count]
                        _ = try await node.perform(.potion(target: nil), in: journey.id, by: ben, request: nil) {
                            _,
                            _ in
                            EncodedResponse(status: 200, body: "")
                        }
                    } catch is CommandError {}
                }
                isOver = try await world.store.adventure(journey.id)?.endedAt != nil
            }
            #expect(isOver)
            return try await world.store.events(of: journey.id, after: 0, limit: 1_000).map {
                "\($0.at - journey.startedAt) \($0.tick) \($0.event)"
            }
        }
    }

    @Test func `nodes whose clocks are an hour off play the same game`() async throws {
        let right = try await playJourney(on: [.zero])
        #expect(try await playJourney(on: [.seconds(3_600), .seconds(-3_600)]) == right)
        #expect(right.count > 10)
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
