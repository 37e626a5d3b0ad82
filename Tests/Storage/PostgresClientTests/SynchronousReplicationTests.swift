import PostgresClient
import PrivatePostgres
import Testing

/// Commits of a server whose synchronous standby is away; each test has its own cluster.
@Suite(.timeLimit(.minutes(10))) struct SynchronousReplicationTests {
    private let insert = PostgresQuery(Statement("insert", "INSERT INTO t VALUES (1)"))
    private let count = PostgresQuery(Statement("count", "SELECT count(*) FROM t"))

    /// Runs a test with a pool that has a short time limit, and one without; the table `t` exists.
    private func withoutStandby(
        _ body: (_ limited: PostgresPool, _ other: PostgresPool) async throws -> Void
    ) async throws {
        let cluster = try await PrivateCluster.start(
            .init(settings: ["synchronous_commit": "on", "synchronous_standby_names": "away"])
        )
        var configuration = PostgresPool.Configuration(
            uri: cluster.uri(),
            maximumConnections: 2,
            statementTimeout: .seconds(6)
        )
        configuration.cancelTimeout = .milliseconds(500)
        let limited = PostgresPool(configuration: configuration, logger: quiet)
        let other = PostgresPool(configuration: .forTests(uri: cluster.uri(), maximumConnections: 2), logger: quiet)
        try await other.withConnection { connection in
            try await connection.script("BEGIN; SET LOCAL synchronous_commit = off; CREATE TABLE t (n integer); COMMIT")
        }
        try await body(limited, other)
    }

    private func doWithoutStandbys(_ pool: PostgresPool) async throws {
        _ = try await pool.query(PostgresQuery("ALTER SYSTEM SET synchronous_standby_names = ''"))
        _ = try await pool.query(PostgresQuery("SELECT pg_reload_conf()"))
    }

    private func waiting(in pool: PostgresPool) async throws -> [Int32] {
        let waiting = Statement("waiting", "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        return try await pool.query(PostgresQuery(waiting)).map { try $0.decode(Int32.self) }
    }

    enum Way: CaseIterable {
        case transaction, oneRoundTrip, statement
    }

    private func write(_ way: Way, in pool: PostgresPool) async throws {
        switch way {
        case .transaction: _ = try await pool.withTransaction { try await $0.query(insert) }
        case .oneRoundTrip: _ = try await pool.withTransaction { try await $0.pipeline([insert], committing: true) }
        case .statement: _ = try await pool.query(insert)
        }
    }

    @Test(arguments: Way.allCases)
    func `a commit that no standby confirms has no known outcome, and is not cancelled`(way: Way) async throws {
        try await withoutStandby { limited, other in
            await #expect { try await write(way, in: limited) } throws: { error in
                if case PostgresError.outcomeUnknown? = error as? PostgresError { true } else { false }
            }
            // The server still waits, and no reader sees the row.
            #expect(try await waiting(in: other).count == 1)
            #expect(try await other.query(count)[0].decode(Int.self) == 0)
            try await doWithoutStandbys(other)
            while try await other.query(count)[0].decode(Int.self) != 1 {}
        }
    }

    @Test(arguments: Way.allCases)
    func `a commit whose wait for a standby an administrator cancels has no known outcome`(way: Way)
        async throws
    {
        try await withoutStandby { _, other in
            async let written: Void = write(way, in: other)
            var isCancelled = false
            while !isCancelled {
                guard let process = try await waiting(in: other).first else { continue }
                let cancel = Statement("cancel", "SELECT pg_cancel_backend($1)")
                isCancelled = try await other.query(PostgresQuery(cancel, process))[0].decode(Bool.self)
            }
            do {
                try await written
                Issue.record("the commit succeeded")
            } catch PostgresError.outcomeUnknown(_, let reason) {
                #expect(reason.contains("standby"))
            }
            #expect(try await other.query(count)[0].decode(Int.self) == 1)
        }
    }
}
