import Foundation
import PostgresClient
import PrivatePostgres
import Synchronization
import TestSupport
import Testing

@testable import Benchmarks

@Suite struct ChaosRelayTests {
    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }

    /// Starts PostgreSQL.
    /// - Returns: a pool with one session through a relay, the relay, and the server, which ends with its last
    ///   reference.
    private func connect() async throws -> (PostgresPool, ChaosRelay, PrivateCluster) {
        let cluster = try await PrivateCluster.start()
        let relay = try ChaosRelay(to: .unix(cluster.socketPath))
        let uri = "postgresql://\(PrivateCluster.superuser)@127.0.0.1:\(relay.port)/postgres"
        let pool = PostgresPool(configuration: .forTests(uri: uri, maximumConnections: 1), logger: silentLogger)
        try await pool.withConnection { connection in
            try await connection.script("CREATE TABLE arrivals (number integer)")
        }
        return (pool, relay, cluster)
    }

    private func arrivals(_ cluster: PrivateCluster) async throws -> Int {
        Int(try await PostgresShell.run("SELECT count(*) FROM arrivals;", on: cluster.uri()).prefix { $0.isNumber })
            ?? -1
    }

    private func insert(_ pool: PostgresPool) async throws {
        try await pool.withConnection { try await $0.script("INSERT INTO arrivals VALUES (1)") }
    }

    @Test func `a statement whose response is lost is carried out, and its client learns of it when the fault is over`()
        async throws
    {
        let (pool, relay, cluster) = try await connect()
        relay.set(.responsesLost)
        let answered = Flag()
        async let answer: Void = {
            try await insert(pool)
            answered.set()
        }()
        try await eventually("the row") { try await arrivals(cluster) == 1 }
        #expect(!answered.isSet)
        relay.set(nil)
        try await answer
        #expect(try await arrivals(cluster) == 1)
    }

    @Test(arguments: [ChaosFault.Link.Kind.requestsLost, .cut])
    func `a statement that is lost arrives when the fault is over`(kind: ChaosFault.Link.Kind) async throws {
        let (pool, relay, cluster) = try await connect()
        relay.set(kind)
        async let answer: Void = insert(pool)
        try await eventually("the relay holds the statement back") { relay.heldReads > 0 }
        #expect(try await arrivals(cluster) == 0)
        relay.set(nil)
        try await answer
        #expect(try await arrivals(cluster) == 1)
    }

    @Test func `a lossy link loses nothing for good, and the relay closes what its server closes`() async throws {
        let (pool, relay, cluster) = try await connect()
        relay.set(.lossy)
        for _ in 0..<5 { try await insert(pool) }
        #expect(try await arrivals(cluster) == 5)
        relay.set(nil)
        _ = try await PostgresShell.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = "
                + "'client backend';",
            on: cluster.uri()
        )
        try await eventually("another session") { (try? await insert(pool)) != nil }
        #expect(try await arrivals(cluster) == 6)
    }
}
