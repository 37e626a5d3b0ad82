import Encodings
import GameCore
import GameStore
import PostgresClient
import Testing

/// Rows of adventures that this release cannot decode.
@Suite struct AdventureRowTests {
    private let shard = Shard(rawValue: 7)

    private func put(_ state: String, in column: String, of fight: StoredAdventure, _ pool: PostgresPool) async throws {
        let sql = "UPDATE adventures SET \(column) = $3 WHERE shard = $1 AND adventure_id = $2"
        _ = try await pool.query(
            PostgresQuery(Statement("test.put.\(column)", sql), Int16(shard.rawValue), fight.id, state)
        )
    }

    @Test func `the error of an undecodable row names table, row and reason`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            try await put("3 bossFight running", in: "state", of: fight, pool)
            let error = await #expect(throws: StoreError.self) { try await store.adventure(fight.id) }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("\(fight.id)") && text.contains("adventures") && text.contains("version"))
        }
    }

    @Test func `the error of an opening with unknown rules names their version`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            let opening = fight.adventure.encoded.replacing("rules \(RulesVersion.current.rawValue)", with: "rules 1")
            try await put(opening, in: "opening", of: fight, pool)
            let error = await #expect(throws: StoreError.self) { try await store.record(of: fight.id) }
            #expect(error.map { "\($0)" }?.contains("unknown version of the rules, 1;") == true)
        }
    }
}
