import Encodings
public import GameCore
import PostgresClient
import Synchronization

/// The machines of a Citus cluster that do not respond, as far as the stores that share this have noticed.
///
/// A query over all shards fails if one machine is away. Then a store finds out which one it is, asks the others for their
/// shards only, and looks once a second whether the machine is back. A plain PostgreSQL has no such machines.
public final class WorkerOutages: Sendable {
    /// A machine that has shards.
    struct Worker: Sendable {
        /// Its host and port, as the coordinator knows it.
        let name: String
        let shards: [Shard]
    }

    private struct Outage {
        let worker: Worker
        let error: PostgresError
    }

    private struct State {
        var outages: [String: Outage] = [:]
        /// The time of the next look; nil while one is in progress.
        var nextLook: ContinuousClock.Instant? = .now
    }

    /// The pause between two looks at a machine.
    private static let pause = Duration.seconds(1)

    private let state = Mutex(State())

    /// Creates an instance for the stores of one database.
    public init() {}

    /// The shards of the machines that do not respond.
    var shards: Set<Shard> { state.withLock { Set($0.outages.values.flatMap(\.worker.shards)) } }

    /// The names of the machines that do not respond, in order.
    var names: [String] { state.withLock { $0.outages.keys.sorted() } }

    /// The error of a machine that does not respond.
    var error: PostgresError? { state.withLock { $0.outages.values.first?.error } }

    /// Replaces what is known.
    func note(_ outages: [(worker: Worker, error: PostgresError)]) {
        state.withLock { state in
            state.outages = Dictionary(
                outages.map { ($0.worker.name, Outage(worker: $0.worker, error: $0.error)) },
                uniquingKeysWith: { $1 }
            )
            state.nextLook = ContinuousClock.now + Self.pause
        }
    }

    /// Returns whether it is time to look whether the machines are back; the caller then calls ``note(_:)``.
    func beginLook() -> Bool {
        state.withLock { state in
            guard !state.outages.isEmpty, let next = state.nextLook, next <= .now else { return false }
            state.nextLook = nil
            return true
        }
    }
}

/// Transactions that a crash of the coordinator, or of its connections, has left prepared on a machine, with their locks.
public struct LeftTransactions: Sendable, Hashable {
    /// The machine, as host and port.
    public let machine: String
    /// The number of transactions.
    public let count: Int
    /// The age of the oldest.
    public let age: Duration

    /// Creates a finding.
    public init(on machine: String, count: Int, age: Duration) {
        self.machine = machine
        self.count = count
        self.age = age
    }
}

extension GameStore {
    /// Returns whether the tables are distributed over a Citus cluster.
    public func isCluster() async throws -> Bool {
        try await pool.query(PostgresQuery(ClusterStatements.isCluster))[0].decode(Bool.self)
    }

    /// Returns the machines of a Citus cluster that have had prepared transactions for more than five seconds, which take
    /// milliseconds otherwise.
    public func leftTransactions() async throws -> [LeftTransactions] {
        try await pool.query(PostgresQuery(ClusterStatements.prepared)).map { row in
            let (machine, count, age) = try row.decode(String.self, Int64.self, Int64.self)
            return LeftTransactions(on: machine, count: Int(count), age: .seconds(age))
        }
    }

    /// Returns the sessions of a Citus cluster that hold locks which others wait for, on whichever machine, as
    /// ``lockBlockers(waitingLongerThan:limit:)`` does for one server.
    ///
    /// The process of each is a global one: `pg_terminate_backend` on the coordinator takes it.
    public func clusterLockBlockers(waitingLongerThan duration: Duration, limit: Int) async throws
        -> [ObstructiveSession]
    {
        let query = PostgresQuery(ClusterStatements.lockBlockers, duration.wholeMicroseconds, Int64(limit))
        return try await pool.query(query).map { try ObstructiveSession(holdingLocks: $0, process: Int64.self) }
    }

    /// Returns whether the limits of lock waits that transactions set reach all machines of a Citus cluster.
    public func propagatesLimits() async throws -> Bool {
        try await pool.query(PostgresQuery(ClusterStatements.propagatesLimits))[0].decode(Bool.self)
    }

    /// The machines of a Citus cluster that did not respond when a store read their shards last, each as host and port.
    public var unreachableWorkers: [String] { outages.names }

    /// Their shards.
    public var unreachableShards: Set<Shard> { outages.shards }

    /// Reads rows of several shards, without those of machines that do not respond.
    /// - Parameters:
    ///   - shards: the shards.
    ///   - query: returns the query for these shards, or for the rest of them.
    /// - Returns: the rows.
    /// - Throws: `PostgresError`, also if all of the shards are on machines that do not respond.
    func rows(of shards: [Shard], _ query: ([Shard]) -> PostgresQuery) async throws -> PostgresRows {
        if outages.beginLook() {
            // Unstructured, since this read must not wait for a machine that may not respond for seconds. It ends by the time
            // limit of a statement.
            Task { [self] in outages.note((try? await findOutages()) ?? []) }
        }
        let reachable = try reachableQuery(shards, query)
        do {
            return try await pool.query(reachable)
        } catch {
            guard let failure = error as? PostgresError, failure.mayConcernWorker else { throw error }
            let known = outages.shards
            guard let found = try? await findOutages() else { throw error }
            outages.note(found)
            guard outages.shards != known else { throw error }
        }
        return try await pool.query(try reachableQuery(shards, query))
    }

    private func reachableQuery(_ shards: [Shard], _ query: ([Shard]) -> PostgresQuery) throws -> PostgresQuery {
        let away = outages.shards
        guard !away.isEmpty else { return query(shards) }
        let rest = shards.filter { !away.contains($0) }
        if rest.isEmpty, !shards.isEmpty, let error = outages.error { throw error }
        return query(rest)
    }

    /// Returns the machines that do not respond, each with the error; none on a plain PostgreSQL.
    private func findOutages() async throws -> [(worker: WorkerOutages.Worker, error: PostgresError)] {
        let workers = try await workers()
        return await withTaskGroup(of: (worker: WorkerOutages.Worker, error: PostgresError)?.self) { group in
            for worker in workers {
                group.addTask {
                    do {
                        _ = try await pool.query(PostgresQuery(ShardStatements.heads, [worker.shards[0].column]))
                        return nil
                    } catch {
                        // Any other failure says nothing about the machine.
                        guard let error = error as? PostgresError, error.mayConcernWorker else { return nil }
                        return (worker: worker, error: error)
                    }
                }
            }
            return await group.reduce(into: []) { outages, outage in if let outage { outages.append(outage) } }
        }
    }

    private func workers() async throws -> [WorkerOutages.Worker] {
        guard try await isCluster() else { return [] }
        return try await pool.query(PostgresQuery(ClusterStatements.workers)).map { row in
            let (name, shards) = try row.decode(String.self, [Int16].self)
            return WorkerOutages.Worker(
                name: name,
                shards: shards.map { Shard(rawValue: UInt8(truncatingIfNeeded: $0)) }
            )
        }
    }
}

extension PostgresError {
    /// Whether another machine than the one that the store is connected to may have caused the error.
    fileprivate var mayConcernWorker: Bool {
        switch self {
        // Class 08 (connection), and a shutdown or start.
        case .server(let error): ["08", "57P"].contains { error.state.rawValue.hasPrefix($0) }
        case .timedOut: true
        case .connectionLost, .outcomeUnknown, .cannotConnect, .cancelled, .poolExhausted, .closed, .decoding: false
        }
    }
}

/// Statements for the catalogue of Citus, which a plain PostgreSQL does not have.
enum ClusterStatements {
    /// Reads whether the tables are distributed.
    static let isCluster = Statement("cluster.isCluster", "SELECT to_regclass('pg_dist_placement') IS NOT NULL")

    /// Lists the machines with the shards that each has, from the coordinator's catalogue.
    static let workers = Statement(
        "cluster.workers",
        """
        SELECT n.nodename || ':' || n.nodeport, array_agg(s.shard ORDER BY s.shard)
        FROM (SELECT number::smallint AS shard FROM generate_series(0, 255) AS number) AS s
        JOIN pg_dist_placement AS p ON p.shardid = get_shard_id_for_distribution_column('shards', s.shard)
        JOIN pg_dist_node AS n ON n.groupid = p.groupid AND n.noderole = 'primary'
        GROUP BY n.nodename, n.nodeport
        ORDER BY n.nodename, n.nodeport
        """
    )

    /// Counts the transactions that each machine has prepared longer ago than five seconds, with the age of the oldest.
    ///
    /// The machines run it themselves, so the view is theirs.
    static let prepared = Statement(
        "cluster.prepared",
        """
        SELECT nodename || ':' || nodeport, split_part(result, ' ', 1)::bigint, split_part(result, ' ', 2)::bigint
        FROM run_command_on_workers($$
            SELECT count(*) || ' ' || coalesce(floor(extract(epoch FROM max(clock_timestamp() - prepared)))::bigint, 0)
            FROM pg_prepared_xacts
            WHERE database = current_database() AND prepared < clock_timestamp() - interval '5 seconds'
        $$)
        WHERE success AND result NOT LIKE '0 %'
        ORDER BY 1
        """
    )

    /// Finds the sessions at the end of chains of lock waits of more than `$1` microseconds, on all machines.
    static let lockBlockers = Statement(
        "cluster.lockBlockers",
        """
        SELECT w.blocking_gpid, b.usename::text, coalesce(b.application_name, ''), b.state, count(*),
            (extract(epoch FROM max(clock_timestamp() - a.query_start)) * 1000000)::bigint
        FROM citus_lock_waits AS w
        JOIN citus_dist_stat_activity AS a ON a.global_pid = w.waiting_gpid AND NOT a.is_worker_query
        LEFT JOIN citus_dist_stat_activity AS b ON b.global_pid = w.blocking_gpid AND NOT b.is_worker_query
        WHERE a.query_start < clock_timestamp() - $1 * interval '1 microsecond'
            AND NOT EXISTS (SELECT FROM citus_lock_waits AS o WHERE o.waiting_gpid = w.blocking_gpid)
        GROUP BY w.blocking_gpid, b.usename, b.application_name, b.state
        ORDER BY count(*) DESC, w.blocking_gpid
        LIMIT $2
        """
    )

    /// Reads whether limits of lock waits reach the machines that hold the locks.
    static let propagatesLimits = Statement(
        "cluster.propagatesLimits",
        "SELECT current_setting('citus.propagate_set_commands', true) IS NOT DISTINCT FROM 'local'"
    )
}
