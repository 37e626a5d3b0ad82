import Encodings
import GameCore
import GameLog
import PostgresClient
import Testing

@testable import GameStore

/// The log of a shard, its digest, and entries that cannot be decoded.
@Suite struct LogTests {
    private let shard = Shard(rawValue: 42)

    /// Stores a fight with some inputs.
    private func fight(in store: GameStore) async throws -> StoredAdventure {
        let fight = try await storedFight(in: store, shard: shard)
        for policy in [TurnPolicy.guard, .skip, .automatic] {
            try await store.withShard(shard) { transaction in
                var stored = try #require(try await transaction.adventure(fight.id))
                let player = stored.adventure.heroes[0].playerID
                _ = try await transaction.apply(.command(.policy(policy), by: player), to: &stored)
            }
        }
        return fight
    }

    @Test func `readers derive the digest that the shard has, from the beginning or from any position`() async throws {
        try await withStore { store, _ in
            _ = try await fight(in: store)
            let head = try await store.heads(of: [shard])[0]
            let log = try await store.log(of: shard, after: 0, limit: 100)
            #expect(log.map(\.position) == Array(1...head.head) && log.last?.digest == head.digest)
            for entry in log.dropLast() {
                let rest = try await store.log(of: shard, after: entry.position, digest: entry.digest, limit: 100)
                #expect(rest.last?.digest == head.digest)
                let reader = head.read(through: entry)
                #expect(try await store.logs(after: [reader], limit: 100)[0].last?.digest == head.digest)
            }
            let pages = try await store.logs(after: [head, head.read(through: log[0])], limit: 2)
            #expect(pages.map { $0.map(\.position) } == [[], [2, 3]])
        }
    }

    /// Releases of different versions read one log.
    @Test func `the digest of an entry never changes`() {
        var digest = LogDigest()
        for (position, kind, body) in [
            (Int64(1), "started", ""), (2, "input", "policy guard 01932a5c-77e0"), (3, "outage", "7"),
        ] {
            digest.add(
                LogRow(
                    position: position,
                    at: Timestamp(epochSeconds: 1_790_000_000 + position),
                    kind: kind,
                    adventureID: position == 3 ? nil : AdventureID("01932a5c-77e0-7c41-9b0e-5d2f8a61c32a"),
                    body: body,
                    digest: position == 2 ? -7 : nil
                )
            )
        }
        #expect(digest.value == 16_042_624_449_121_454_419)
    }

    @Test(arguments: [
        "body = 'leave 01932a5c-77e0-7c41-9b0e-5d2f8a61c3e4'", "at = at + interval '1 microsecond'",
        "digest = digest + 1",
        "kind = 'ended'", "adventure_id = '00000000-0000-7000-8000-00000000002a'",
    ])
    func `a changed entry changes the digest`(change: String) async throws {
        try await withStore { store, pool in
            _ = try await fight(in: store)
            let sql = "UPDATE log SET \(change) WHERE shard = $1 AND position = 2"
            _ = try await pool.query(PostgresQuery(Statement("test.change", sql), shard.column))
            let log = try await store.log(of: shard, after: 0, limit: 100)
            #expect(try await store.heads(of: [shard])[0].digest != log.last?.digest)
        }
    }

    @Test(arguments: [
        ("kind = 'activityMoved'", "unknown kind 'activityMoved'"),
        ("kind = 'activityReleased', body = 'nobody'", "'nobody' is no activity"),
        ("body = 'leave nobody'", "expected a UUID at byte 6, found 'nobody'"),
        ("kind = 'outage', adventure_id = NULL, body = '-1'", "'-1' is no duration"),
        ("kind = 'outage', adventure_id = NULL, body = '9223372036854775807'", "is no duration"),
    ])
    func `an entry that cannot be decoded says why, and the others are read`(change: String, reason: String)
        async throws
    {
        try await withStore { store, pool in
            _ = try await fight(in: store)
            let sql = "UPDATE log SET \(change) WHERE shard = $1 AND position = 2"
            _ = try await pool.query(PostgresQuery(Statement("test.change", sql), shard.column))
            let log = try await store.log(of: shard, after: 0, limit: 100)
            guard case .unreadable(.undecodable(table: "log", id: "42/2", let found)) = log[1].content else {
                Issue.record("\(log[1].content)")
                return
            }
            #expect(found.contains(reason))
            guard case .started = log[0].content, case .input = log[2].content else {
                Issue.record("\(log)")
                return
            }
        }
    }
}
