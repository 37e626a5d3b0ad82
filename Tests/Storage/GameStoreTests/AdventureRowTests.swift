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

    @Test func `an adventure that began under older rules is reported as not replayable`() async throws {
        try await withStore { store, pool in
            let fight = try await storedFight(in: store, shard: shard)
            let opening = fight.adventure.encoded.replacing("rules \(Adventure.currentRules)", with: "rules 1")
            try await put(opening, in: "opening", of: fight, pool)
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
