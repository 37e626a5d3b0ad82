import Logging
import PostgresClient
import PrivatePostgres
import ServiceLifecycle
import Synchronization
import Testing

@Suite struct PoolTests {
    private let one = PostgresQuery(Statement("one", "SELECT 1"))

    @Test func `no more connections are opened than the limit allows`() async throws {
        let pool = try await makePool { $0.maximumConnections = 3 }
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await pool.withConnection { connection in
                        gauge.enter()
                        defer { gauge.leave() }
                        let rows = try await connection.query(PostgresQuery("SELECT pg_backend_pid()"))
                        return try rows[0].decode(Int32.self)
                    }
                }
            }
            let backends = try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
            #expect(backends.count <= 3)
        }
        #expect((1...3).contains(gauge.highest))
    }

    @Test func `a request that exceeds the wait limit is refused, and the pool stays usable`() async throws {
        let limit = Duration.milliseconds(30)
        let pool = try await makePool {
            $0.maximumConnections = 1
            $0.waitLimit = limit
        }
        _ = try await pool.withConnection { _ in
            await #expect(throws: PostgresError.poolExhausted(waited: limit)) { _ = try await pool.query(one) }
        }
        #expect(try await pool.query(one)[0].decode(Int32.self) == 1)
    }

    @Test func `a request cancelled while waiting leaves the queue`() async throws {
        let pool = try await makePool { $0.maximumConnections = 1 }
        try await pool.withConnection { _ in
            let task = Task { try await pool.query(one) }
            task.cancel()
            await #expect(throws: PostgresError.cancelled(statement: nil)) { try await task.value }
        }
        #expect(try await pool.query(one)[0].decode(Int32.self) == 1)
    }

    @Test func `an open connection is reused`() async throws {
        let pool = try await makePool()
        let backend = PostgresQuery("SELECT pg_backend_pid()")
        let first = try await pool.query(backend)[0].decode(Int32.self)
        #expect(try await pool.query(backend)[0].decode(Int32.self) == first)
    }

    @Test func `a connection is closed with its pool`() async throws {
        let uri = try await TestDatabases.make()
        let backend: Int32
        do {
            let pool = PostgresPool(configuration: .init(uri: uri), logger: quiet)
            backend = try await pool.query(PostgresQuery("SELECT pg_backend_pid()"))[0].decode(Int32.self)
        }
        let observer = PostgresPool(configuration: .init(uri: uri), logger: quiet)
        let probe = PostgresQuery("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", backend)
        while try await observer.query(probe)[0].decode(Int.self) > 0 {}
    }

    @Test func `a graceful shutdown refuses new borrowers and waits for current ones`() async throws {
        let pool = try await makePool()
        let borrowers = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let services = ServiceGroup(configuration: .init(services: [pool], logger: quiet))
            try await pool.withConnection { connection in
                borrowers.enter()
                group.addTask {
                    try await services.run()
                    #expect(borrowers.now == 0)
                }
                await services.triggerGracefulShutdown()
                while await isOpen(pool) {}
                _ = try await connection.query(one)
                borrowers.leave()
            }
            try await group.waitForAll()
        }
        await #expect(throws: PostgresError.closed) { _ = try await pool.query(one) }
    }

    @Test func `a cancelled run closes the pool`() async throws {
        let pool = try await makePool()
        _ = try await pool.query(one)
        let run = Task { try await pool.run() }
        run.cancel()
        try await run.value
        await #expect(throws: PostgresError.closed) { _ = try await pool.query(one) }
    }

    @Test func `idle connections are checked, and lost ones are dropped`() async throws {
        let lost = AsyncStream.makeStream(of: Void.self)
        var logger = Logger(label: "test") { _ in Signal(continuation: lost.continuation) }
        logger.logLevel = .warning
        let uri = try await TestDatabases.make()
        let pool = PostgresPool(
            configuration: .init(uri: uri, idleCheckInterval: .milliseconds(20)),
            logger: logger
        )
        let backend = PostgresQuery("SELECT pg_backend_pid()")
        let first = try await pool.query(backend)[0].decode(Int32.self)
        let run = Task { try await pool.run() }
        let killer = PostgresPool(configuration: .init(uri: uri), logger: quiet)
        _ = try await killer.query(PostgresQuery("SELECT pg_terminate_backend($1)", first))
        for await _ in lost.stream { break }
        #expect(try await pool.query(backend)[0].decode(Int32.self) != first)
        run.cancel()
        try await run.value
    }

    private func isOpen(_ pool: PostgresPool) async -> Bool {
        do {
            _ = try await pool.query(one)
            return true
        } catch {
            return false
        }
    }
}

/// Counts concurrent borrowers, and their maximum.
private final class Gauge: Sendable {
    private let counts = Mutex((now: 0, highest: 0))

    var now: Int { counts.withLock { $0.now } }
    var highest: Int { counts.withLock { $0.highest } }

    func enter() {
        counts.withLock {
            $0.now += 1
            $0.highest = max($0.highest, $0.now)
        }
    }

    func leave() {
        counts.withLock { $0.now -= 1 }
    }
}

/// Signals each log message.
private struct Signal: LogHandler {
    let continuation: AsyncStream<Void>.Continuation
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        continuation.yield()
    }
}
