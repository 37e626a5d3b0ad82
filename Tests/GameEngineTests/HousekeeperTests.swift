import GameCore
import GameEngine
import GameStore
import Logging
import PostgresClient
import Testing

@Suite struct HousekeeperTests {
    private static let day = Duration.seconds(24 * 60 * 60)

    @Test func `answers are removed when their 24 hours are over, in batches, and no others`() async throws {
        try await GameWorld.with { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: [ada])
            func ask(_ key: String) async throws {
                let request = RepeatableRequest(key: key, hash: Array(repeating: 7, count: 32))
                _ = try await world.commands.renewInviteCode(of: party.id, by: ada, request: request) { _ in
                    Answer(status: 200, body: key)
                }
            }
            for number in 0..<7 { try await ask("early-\(number)") }
            world.pass(.seconds(1))
            for number in 0..<3 { try await ask("late-\(number)") }
            let housekeeper = Housekeeper(
                store: world.store,
                surroundings: world.surroundings,
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            )
            world.pass(Self.day - .seconds(2))
            #expect(try await housekeeper.sweep() == 0)
            world.pass(.seconds(1))
            let shard = party.id.shard
            let expiry = world.surroundings.now() - Self.day
            #expect(try await world.store.removeAnswers(keptUntil: expiry, in: shard, atMost: 2) == 2)
            #expect(try await housekeeper.sweep(batch: 3) == 5)
            #expect(try await housekeeper.sweep(batch: 3) == 0)
            let left = try await world.pool.query(
                PostgresQuery(Statement("test.keys", "SELECT key FROM idempotency_keys ORDER BY key"))
            )
            #expect(try left.map { try $0.decode(String.self) } == ["late-0", "late-1", "late-2"])
        }
    }
}
