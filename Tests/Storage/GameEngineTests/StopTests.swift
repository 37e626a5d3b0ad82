import GameEngine
import GameTestSupport
import Logging
import PostgresClient
import TestSupport
import Testing

@Suite struct StopTests {
    @Test func `an engine that stops while it waits for the database logs no error`() async throws {
        try await World.with { world in
            try await world.pool.withTransaction { connection in
                let lock = Statement("test.lockShards", "LOCK TABLE shards, adventures IN ACCESS EXCLUSIVE MODE")
                _ = try await connection.query(PostgresQuery(lock))
                let engine = Task { await world.engine().runUntilCancelled() }
                try await eventually("the engine waits for the lock") {
                    let waiting = Statement(
                        "test.lockWaits",
                        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                    )
                    return try await world.pool.query(PostgresQuery(waiting)).first != nil
                }
                engine.cancel()
                await engine.value
            }
            #expect(world.logs.lines.filter { $0.level >= .warning }.map(\.message) == [])
        }
    }
}
