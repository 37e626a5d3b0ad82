import Encodings
import GameCore
import GameStore
import PostgresClient
import TestSupport
import Testing

@Suite struct PushToStartTokenTests {
    private let player: PlayerID
    private let adventure: AdventureID

    init() {
        var generator = SeededGenerator(seed: 7)
        player = PlayerID(at: noon, using: &generator)
        adventure = AdventureID(at: noon, using: &generator)
    }

    private func register(_ token: [UInt8], in store: GameStore) async throws {
        try await store.storePushToStartToken(
            token,
            of: player,
            environment: .simulator,
            frequentPushesEnabled: true
        )
    }

    private func record(in store: GameStore) async throws -> PushToStartRecord {
        try #require(try await store.pushToStartRecords(of: [player]).first)
    }

    private func start(_ seconds: Int) -> PushToStartRecord.Start {
        .init(adventureID: adventure, at: noon + .seconds(seconds))
    }

    @Test func `claimed starts stay with the player when tokens change`() async throws {
        try await withStore { store, _ in
            try await register([1], in: store)
            #expect(try await store.claimStart([start(0), start(1)], for: try await record(in: store)))
            try await store.removePushToStartToken(of: player)
            #expect(try await store.pushToStartRecords(of: [player]).isEmpty)
            try await register([2], in: store)
            let record = try await record(in: store)
            #expect(record.pushToken == [2] && record.environment == .simulator && record.frequentPushesEnabled)
            #expect(record.starts == [start(0), start(1)])
        }
    }

    @Test func `a token registered by another player is removed from the first`() async throws {
        try await withStore { store, _ in
            try await register([1], in: store)
            let old = try await record(in: store)
            var generator = SeededGenerator(seed: 8)
            let other = PlayerID(at: noon, using: &generator)
            try await store.storePushToStartToken([1], of: other, environment: .simulator, frequentPushesEnabled: false)
            #expect(try await store.pushToStartRecords(of: [player, other]).map(\.playerID) == [other])
            #expect(try await store.claimStart([start(0)], for: old) == false)
        }
    }

    @Test func `players who swap their devices do not deadlock`() async throws {
        try await withStore { store, pool in
            var generator = SeededGenerator(seed: 8)
            let players = [player, PlayerID(at: noon, using: &generator)].sorted()
            for (index, player) in players.enumerated() {
                try await store.storePushToStartToken(
                    [UInt8(index)],
                    of: player,
                    environment: .simulator,
                    frequentPushesEnabled: true
                )
            }
            try await withThrowingTaskGroup { group in
                try await pool.withTransaction { connection in
                    try await lock(players[0], on: connection)
                    group.addTask {
                        try await store.storePushToStartToken(
                            [0],
                            of: players[1],
                            environment: .simulator,
                            frequentPushesEnabled: true
                        )
                    }
                    try await waitForLockWait(in: pool)
                    // The second statement waits for the first without holding locks.
                    try await lock(players[1], on: connection)
                }
                try await group.waitForAll()
            }
            #expect(try await store.pushToStartRecords(of: players).map(\.playerID) == [players[1]])
        }
    }

    private func lock(_ player: PlayerID, on connection: PostgresConnection) async throws {
        _ = try await connection.query(
            PostgresQuery(
                Statement("test.lock", "SELECT FROM push_to_start WHERE player_id = $1 FOR UPDATE NOWAIT"),
                player.rawValue
            )
        )
    }

    @Test func `a claim on a changed record is rejected and writes nothing`() async throws {
        try await withStore { store, _ in
            try await register([1], in: store)
            let old = try await record(in: store)
            try await register([2], in: store)
            #expect(try await store.claimStart([start(0)], for: old) == false)
            let new = try await record(in: store)
            #expect(new.starts.isEmpty)
            #expect(try await store.claimStart([start(0)], for: new))
            #expect(try await store.claimStart([start(0), start(1)], for: new) == false)
            #expect(try await record(in: store).starts == [start(0)])
        }
    }

    @Test func `registering the same token again does not invalidate a claim`() async throws {
        try await withStore { store, _ in
            try await register([1], in: store)
            let read = try await record(in: store)
            try await register([1], in: store)
            #expect(try await store.claimStart([start(0)], for: read))
        }
    }

    @Test func `of several concurrent claims, one succeeds`() async throws {
        try await withStore { store, _ in
            try await register([1], in: store)
            let read = try await record(in: store)
            let claims = try await withThrowingTaskGroup { group in
                for second in 0..<8 {
                    group.addTask { try await store.claimStart([start(second)], for: read) ? 1 : 0 }
                }
                return try await group.reduce(0, +)
            }
            #expect(claims == 1)
            #expect(try await record(in: store).starts.count == 1)
        }
    }

    @Test func `a rejected token is removed only if it is still the player's`() async throws {
        try await withStore { store, _ in
            try await register([2], in: store)
            try await store.removePushToStartToken(of: player, ifCurrent: [1])
            #expect(try await record(in: store).pushToken == [2])
            try await store.removePushToStartToken(of: player, ifCurrent: [2])
            #expect(try await store.pushToStartRecords(of: [player]).isEmpty)
        }
    }
}
