import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PostgresClient
import TestSupport
import Testing

@Suite struct ErasureBatchTests {
    /// Stores responses of one player that show a party with another player, and as many of other parties.
    private func storeResponses(
        _ count: Int,
        to owner: PlayerID,
        showing member: PlayerID,
        in party: Party,
        on pool: PostgresPool
    ) async throws {
        let insert = Statement(
            "test.responses",
            """
            INSERT INTO idempotency_keys
                (shard, player_id, key, request_hash, status, body, party_version, created_at, party_id)
            SELECT $1, $2::uuid, 'key ' || number, '', 200,
                '{"members": [{"playerID": "' || $3::uuid || '", "displayName": "Ada Lovelace"}, '
                    || '{"playerID": "' || $2::uuid || '"}]}',
                1, now(), CASE WHEN number <= $5 THEN $4::uuid ELSE gen_random_uuid() END
            FROM generate_series(1, 2 * $5::integer) AS number
            """
        )
        _ = try await pool.query(
            PostgresQuery(insert, Int16(party.id.shard.rawValue), owner, member, party.id, Int32(count))
        )
    }

    private func shown(in party: Party, on pool: PostgresPool) async throws -> Int64 {
        let count = Statement(
            "test.shown",
            "SELECT count(*) FROM idempotency_keys WHERE party_id = $1 AND body LIKE '%Ada Lovelace%'"
        )
        return try await pool.query(PostgresQuery(count, party.id))[0].decode(Int64.self)
    }

    @Test func `the responses that show a player are redacted in batches without the shard's lock`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player("Ada Lovelace"), try await world.player("Ben"))
            let party = try await world.party(of: [ben, ada])
            try await storeResponses(450, to: ben, showing: ada, in: party, on: world.pool)
            _ = try await world.commands.removeMember(ada, of: party.id, by: ben, request: nil)
            #expect(try await shown(in: party, on: world.pool) == 450)
            // Another session holds the shard all the time.
            try await world.pool.withTransaction { connection in
                let lock = Statement("test.lock", "SELECT head FROM shards WHERE shard = $1 FOR UPDATE")
                _ = try await connection.query(PostgresQuery(lock, Int16(party.id.shard.rawValue)))
                try await world.commands.erase(ada)
            }
            #expect(try await shown(in: party, on: world.pool) == 0)
            let others = Statement("test.others", "SELECT count(*) FROM idempotency_keys WHERE body LIKE $1")
            let left = try await world.pool.query(PostgresQuery(others, "%\(ben)%"))[0].decode(Int64.self)
            #expect(left == 900, "the responses themselves stay")
        }
    }

    @Test func `erasures that fail do not starve a later one`() async throws {
        try await World.with { world in
            var failing: [PlayerID] = []
            for size in [8, 8, 4] {
                var players: [PlayerID] = []
                for _ in 0..<size { players.append(try await world.player("Ada")) }
                let party = try await world.party(of: players)
                let block = Statement("test.block", "UPDATE shards SET requires = 30000 WHERE shard = $1")
                _ = try await world.pool.query(PostgresQuery(block, Int16(party.id.shard.rawValue)))
                failing += players
            }
            for player in failing {
                await #expect(throws: StoreError.self) { try await world.commands.erase(player) }
            }
            let last = try await world.player("Ben")
            try await world.store.recordErasure(of: last, at: world.clock.now)
            world.clock.advance(by: .seconds(300))

            await #expect(throws: StoreError.self) { try await world.commands.finishErasures(limit: 20) }
            #expect(try await world.store.player(last) == nil)
            let left = Statement("test.left", "SELECT player_id FROM erasures ORDER BY player_id")
            let pending = try await world.pool.query(PostgresQuery(left)).map { try $0.decode(PlayerID.self) }
            #expect(pending == failing.sorted())
            #expect(try await world.store.oldestErasure() != nil)
        }
    }
}
