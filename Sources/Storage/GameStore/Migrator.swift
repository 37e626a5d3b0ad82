import PostgresClient

/// The result of applying or checking migrations.
public struct MigrationReport: Sendable, Hashable {
    /// The migrations applied before this run, unchanged.
    public var applied: [Migration] = []
    /// The migrations applied by this run or, in a check, still to be applied.
    public var pending: [Migration] = []
    /// The migrations whose files were edited after they were applied.
    public var edited: [Migration] = []
    /// The numbers of applied migrations that this binary does not know: the binary is older than the schema.
    public var unknown: [Int] = []
    /// Whether the tables are distributed over a Citus cluster, with all migrations that concern it.
    public var isDistributed = false
    /// Whether distributing migrations are pending that had been applied: the tables are no longer distributed, as after
    /// the restore of a dump.
    public var hasLostDistribution = false

    /// Whether the database has the schema of this binary.
    public var isCurrent: Bool { pending.isEmpty && edited.isEmpty && unknown.isEmpty }
}

/// The reason why migrations were not applied.
///
/// The migration that failed has changed nothing.
public enum MigrationError: Error, Sendable, CustomStringConvertible {
    /// Applied migrations differ from the files in this binary.
    case edited([String])
    /// The schema is newer than this binary.
    case binaryTooOld(newest: Int)
    /// The schema is to be distributed, but the database has no Citus.
    case notCitus
    /// A migration did not get a lock in any of its attempts; the migrations before it are applied.
    case locked(MigrationDelay)

    /// A description of the error and its remedy.
    public var description: String {
        switch self {
        case .edited(let names):
            "already applied, but edited since: \(names.joined(separator: ", ")); "
                + "restore the files and put the change into a new migration"
        case .binaryTooOld(let newest):
            "the database has migration \(newest), which this binary does not know; run a newer version"
        case .notCitus:
            "the database has no function create_distributed_table; install Citus on every machine of the cluster, and "
                + "have a superuser run CREATE EXTENSION citus in this database. To keep a database on one machine that "
                + "was restored from a cluster's dump, DROP TABLE distributed_migrations"
        case .locked(let delay):
            "\(delay). Nothing of it is applied; wait until they end, or end them with "
                + "SELECT pg_terminate_backend(process), and migrate again"
        }
    }
}

extension GameStore {
    /// Applies missing migrations in order, each in a transaction of its own under a lock.
    ///
    /// Any number of nodes may run this concurrently: one applies a migration, the others wait and find it applied.
    /// - Parameters:
    ///   - distributing: whether to distribute the schema over a Citus cluster. A schema that is already distributed
    ///     stays distributed, and later additions to it are distributed too. One that was restored from the dump of a
    ///     distributed one is distributed again.
    ///   - patience: for how long migrations wait for locks.
    ///   - onDelay: called each time a migration did not get a lock and waits for its next attempt.
    /// - Returns: the migrations found and applied.
    /// - Throws: ``MigrationError``; `PostgresError` if a statement fails, with that migration rolled back.
    public func migrate(
        distributing: Bool = false,
        patience: MigrationPatience = MigrationPatience(),
        onDelay: (MigrationDelay) -> Void = { _ in }
    ) async throws -> MigrationReport {
        var report = try await apply(.schema, patience, onDelay)
        guard try await shouldDistribute(distributing) else { return report }
        guard try await pool.query(PostgresQuery(MigrationStatements.citus))[0].decode(Bool.self) else {
            throw MigrationError.notCitus
        }
        report.add(try await apply(.distribution, patience, onDelay))
        report.isDistributed = true
        return report
    }

    /// Compares the database with this binary, without changes.
    /// - Parameter distributing: whether the schema is to be distributed. A schema that is already distributed is
    ///   always compared as such.
    /// - Returns: the applied, missing and unexpected migrations.
    /// - Throws: `PostgresError`.
    public func checkMigrations(distributing: Bool = false) async throws -> MigrationReport {
        var report = try await check(.schema)
        if try await shouldDistribute(distributing) {
            let distribution = try await check(.distribution)
            report.isDistributed = distribution.pending.isEmpty
            report.add(distribution)
        }
        return report
    }

    private func shouldDistribute(_ isRequested: Bool) async throws -> Bool {
        if isRequested { return true }
        return try await has(.distribution)
    }

    private func apply(
        _ series: MigrationSeries,
        _ patience: MigrationPatience,
        _ onDelay: (MigrationDelay) -> Void
    ) async throws -> MigrationReport {
        try await createTable(of: series)
        var report = MigrationReport()
        for migration in series.migrations {
            try await pool.withTransaction { connection in
                _ = try await connection.query(PostgresQuery(series.lock))
                var found = try series.compare(try await connection.query(PostgresQuery(series.list)))
                if try await isLost(series, found, on: { try await connection.query($0) }) {
                    _ = try await connection.query(PostgresQuery(MigrationStatements.forgetDistribution))
                    found = MigrationReport(pending: series.migrations)
                }
                guard found.edited.isEmpty else { throw MigrationError.edited(found.edited.map(\.name)) }
                if let newest = found.unknown.last { throw MigrationError.binaryTooOld(newest: newest) }
                guard found.pending.contains(migration) else {
                    report.applied.append(migration)
                    return
                }
                if let prepare = series.prepare { _ = try await connection.query(PostgresQuery(prepare)) }
                try await run(migration, on: connection, patience, onDelay)
                _ = try await connection.query(
                    PostgresQuery(series.insert, Int32(migration.number), migration.name, migration.checksum)
                )
                report.pending.append(migration)
            }
        }
        return report
    }

    private func check(_ series: MigrationSeries) async throws -> MigrationReport {
        guard try await has(series) else { return MigrationReport(pending: series.migrations) }
        let found = try series.compare(try await pool.query(PostgresQuery(series.list)))
        guard try await isLost(series, found, on: { try await pool.query($0) }) else { return found }
        return MigrationReport(pending: series.migrations, hasLostDistribution: true)
    }

    /// Returns whether migrations have distributed the tables, but none is distributed any more.
    private func isLost(
        _ series: MigrationSeries,
        _ report: MigrationReport,
        on query: (PostgresQuery) async throws -> PostgresRows
    ) async throws -> Bool {
        guard series.isDistribution, !(report.applied + report.edited).isEmpty else { return false }
        let catalogue = try await query(PostgresQuery(MigrationStatements.hasDistribution))
        guard try catalogue.first?.decode(Bool.self) == true else { return true }
        return try await query(PostgresQuery(MigrationStatements.isDistributed)).first?.decode(Bool.self) != true
    }

    /// Creates the table of applied migrations.
    ///
    /// Nodes that create it concurrently collide in PostgreSQL's catalogues even with `IF NOT EXISTS`, with various
    /// errors. The only thing that matters is whether the table exists afterwards.
    private func createTable(of series: MigrationSeries) async throws {
        do {
            _ = try await pool.query(PostgresQuery(series.createTable))
        } catch PostgresError.server(let error) {
            guard try await has(series) else { throw PostgresError.server(error) }
        }
    }

    private func has(_ series: MigrationSeries) async throws -> Bool {
        try await pool.query(PostgresQuery(series.tableExists)).first?.decode(Bool.self) == true
    }
}

extension MigrationReport {
    fileprivate mutating func add(_ other: MigrationReport) {
        applied += other.applied
        pending += other.pending
        edited += other.edited
        unknown += other.unknown
        hasLostDistribution = hasLostDistribution || other.hasLostDistribution
    }
}

/// A series of migrations with its own numbering and its own table.
private struct MigrationSeries {
    let migrations: [Migration]
    let createTable: Statement
    let tableExists: Statement
    let lock: Statement
    let list: Statement
    let insert: Statement
    var isDistribution = false
    /// Runs before each migration, in its transaction.
    var prepare: Statement?

    static let schema = Self(
        migrations: Migration.all,
        createTable: MigrationStatements.createTable,
        tableExists: MigrationStatements.tableExists,
        lock: MigrationStatements.lock,
        list: MigrationStatements.list,
        insert: MigrationStatements.insert
    )

    static let distribution = Self(
        migrations: Migration.distributed,
        createTable: MigrationStatements.createDistributionTable,
        tableExists: MigrationStatements.distributionTableExists,
        lock: MigrationStatements.lockDistribution,
        list: MigrationStatements.listDistribution,
        insert: MigrationStatements.insertDistribution,
        isDistribution: true,
        prepare: MigrationStatements.limitShardCount
    )

    /// Compares the applied migrations with those of this binary.
    func compare(_ rows: PostgresRows) throws -> MigrationReport {
        var checksums: [Int: String] = [:]
        for row in rows {
            let (number, checksum) = try row.decode(Int32.self, String.self)
            checksums[Int(number)] = checksum
        }
        var report = MigrationReport()
        for migration in migrations {
            guard let checksum = checksums.removeValue(forKey: migration.number) else {
                report.pending.append(migration)
                continue
            }
            if checksum == migration.checksum || migration.formerChecksums.contains(checksum) {
                report.applied.append(migration)
            } else {
                report.edited.append(migration)
            }
        }
        report.unknown = checksums.keys.sorted()
        return report
    }
}

enum MigrationStatements {
    static let createTable = Statement(
        "migration.createTable",
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            number integer NOT NULL,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now(),
            CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
        )
        """
    )

    static let tableExists = Statement(
        "migration.tableExists",
        "SELECT to_regclass('schema_migrations') IS NOT NULL"
    )

    static let lock = Statement("migration.lock", "LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE")

    static let list = Statement("migration.list", "SELECT number, checksum FROM schema_migrations ORDER BY number")

    static let insert = Statement(
        "migration.insert",
        "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)"
    )

    static let createDistributionTable = Statement(
        "migration.createDistributionTable",
        """
        CREATE TABLE IF NOT EXISTS distributed_migrations (
            number integer NOT NULL,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT now(),
            CONSTRAINT distributed_migrations_pkey PRIMARY KEY (number)
        )
        """
    )

    static let distributionTableExists = Statement(
        "migration.distributionTableExists",
        "SELECT to_regclass('distributed_migrations') IS NOT NULL"
    )

    static let lockDistribution = Statement(
        "migration.lockDistribution",
        "LOCK TABLE distributed_migrations IN SHARE ROW EXCLUSIVE MODE"
    )

    static let listDistribution = Statement(
        "migration.listDistribution",
        "SELECT number, checksum FROM distributed_migrations ORDER BY number"
    )

    static let insertDistribution = Statement(
        "migration.insertDistribution",
        "INSERT INTO distributed_migrations (number, name, checksum) VALUES ($1, $2, $3)"
    )

    static let forgetDistribution = Statement("migration.forgetDistribution", "DELETE FROM distributed_migrations")

    /// Reads whether the database has the catalogue of distributed tables.
    static let hasDistribution = Statement(
        "migration.hasDistribution",
        "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
    )

    /// Reads whether the tables are distributed, which no dump preserves: a restore creates ordinary ones.
    static let isDistributed = Statement(
        "migration.isDistributed",
        "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'shards'::regclass)"
    )

    /// Creates eight shards of each table, unless the operator has configured a number.
    ///
    /// A query over all shards, as an engine runs many times a second, has a task for each of them; Citus' default is 32.
    static let limitShardCount = Statement(
        "migration.limitShardCount",
        """
        SELECT set_config('citus.shard_count', '8', true)
        FROM pg_settings
        WHERE name = 'citus.shard_count' AND source = 'default'
        """
    )

    static let citus = Statement(
        "migration.citus",
        "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = 'create_distributed_table')"
    )
}
