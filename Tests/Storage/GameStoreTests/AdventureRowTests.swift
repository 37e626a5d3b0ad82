import Encodings
import GameCore
import GameStore
import PostgresClient
import Testing

/// Rows of adventures that another release wrote.
@Suite struct AdventureRowTests {
    private let shard = Shard(rawValue: 7)

    /// A fight as the first release stored it, of Boulder alone.
    private static let firstRelease = #"""
        {"bossFight":{"boss":{"attack":44,"health":158,"id":"cinderwing","maximumHealth":210,"windingUp":true},\#
        "turn":{"hero":0,"number":12}},"heroes":[{"experience":0,"guarding":false,"health":100,"id":"boulder",\#
        "left":false,"level":3,"maximumHealth":140,"player":"00000000-0000-7000-8000-000000000001","potions":2}],\#
        "random":"81af155173f2454d","sequence":3,"status":"running","tick":11,"version":1}
        """#

    private func put(_ state: String, in column: String, of fight: StoredAdventure, _ pool: PostgresPool) async throws {
        let sql = "UPDATE adventures SET \(column) = $3 WHERE shard = $1 AND adventure_id = $2"
        _ = try await pool.query(
            PostgresQuery(Statement("test.put.\(column)", sql), Int16(shard.rawValue), fight.id, state)
        )
    }

    private func state(of fight: StoredAdventure, _ pool: PostgresPool) async throws -> String {
        let sql = "SELECT state FROM adventures WHERE shard = $1 AND adventure_id = $2"
        let rows = try await pool.query(PostgresQuery(Statement("test.state", sql), Int16(shard.rawValue), fight.id))
        return try #require(rows.first).decode(String.self)
    }

    @Test func `a fight of the first release goes on, and is stored in today's form`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            try await put(Self.firstRelease, in: "state", of: fight, pool)
            try await store.withShard(shard, at: noon + .seconds(20)) { transaction in
                var stored = try #require(try await transaction.adventure(fight.id))
                #expect(stored.adventure.boss?.announcement == .heavyAttack)
                #expect(stored.adventure.heroes[0].level == 3)
                let events = try stored.adventure.advance(.tick)
                #expect(events.first?.kind == "actionTaken")
                try transaction.append(events, of: stored)
                try transaction.update(stored)
            }
            #expect(try await state(of: fight, pool).hasPrefix("2 bossFight running\ntick 12 "))
            #expect(try await store.adventure(fight.id)?.adventure.turn?.number == 13)
        }
    }

    @Test func `what no release can read is told with table, row and reason`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            try await put("3 bossFight running", in: "state", of: fight, pool)
            let error = await #expect(throws: StoreError.self) { try await store.adventure(fight.id) }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("\(fight.id)") && text.contains("adventures") && text.contains("version"))
        }
    }

    @Test func `an adventure that began in the first release cannot be replayed, and is not called wrong`() async throws
    {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            try await put(Self.firstRelease, in: "opening", of: fight, pool)
            let record = try #require(try await store.record(of: fight.id))
            let verdict = Adventure.checkReplay(
                of: record.opening,
                inputs: record.inputs,
                log: record.events.map { ($0.sequence, $0.event) },
                stored: record.newest
            )
            #expect(verdict == .otherRules(1))
        }
    }
}
