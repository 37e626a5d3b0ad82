import PostgresClient

/// What `rangersd migrate` found or did.
public struct MigrationReport: Sendable, Hashable {
    /// Applied before, as they are in this binary.
    public var applied: [Migration] = []
    /// Applied by this run, or, when only checking, waiting to be.
    public var pending: [Migration] = []
    /// Applied before in another wording: the file was edited afterwards.
    public var edited: [Migration] = []
    /// Numbers that the database knows and this binary does not: the binary is older than the schema.
    public var unknown: [Int] = []

    /// Whether the database has exactly the schema of this binary.
    public var isCurrent: Bool { pending.isEmpty && edited.isEmpty && unknown.isEmpty }
}

/// Why migrations were not applied; the database is as it was.
public enum MigrationError: Error, Sendable, CustomStringConvertible {
    /// Applied migrations differ from the files in this binary.
    case edited([String])
    /// The schema is newer than this binary.
    case binaryTooOld(newest: Int)

    /// What is wrong and how to mend it.
    public var description: String {
        switch self {
        case .edited(let names):
            "already applied, but edited since: \(names.joined(separator: ", ")); "
                + "restore the files and put the change into a new migration"
        case .binaryTooOld(let newest):
            "the database has migration \(newest), which this binary does not know; run a newer version"
        }
    }
}

extension GameStore {
    /// Applies what is missing, in order, each migration in a transaction of its own under a lock.
    ///
    /// Any number of nodes may do this at once: one applies, the others wait and find nothing left to do.
    /// - Returns: what was there and what this run applied.
    /// - Throws: ``MigrationError``; `PostgresError` when a statement fails, with that migration undone.
    public func migrate() async throws -> MigrationReport {
        try await createTable()
        var report = MigrationReport()
        for migration in Migration.all {
            try await pool.withTransaction { connection in
                _ = try await connection.query(PostgresQuery(MigrationStatements.lock))
                let found = try await Self.compare(try await connection.query(PostgresQuery(MigrationStatements.list)))
                guard found.edited.isEmpty else { throw MigrationError.edited(found.edited.map(\.name)) }
                if let newest = found.unknown.last { throw MigrationError.binaryTooOld(newest: newest) }
                guard found.pending.contains(migration) else {
                    report.applied.append(migration)
                    return
                }
                try await connection.script(migration.sql)
                _ = try await connection.query(
                    PostgresQuery(
                        MigrationStatements.insert,
                        Int32(migration.number),
                        migration.name,
                        migration.checksum
                    )
                )
                report.pending.append(migration)
            }
        }
        return report
    }

    /// Compares the database with this binary; changes nothing.
    public func checkMigrations() async throws -> MigrationReport {
        guard try await hasTable() else {
            return MigrationReport(pending: Migration.all)
        }
        return try await Self.compare(try await pool.query(PostgresQuery(MigrationStatements.list)))
    }

    /// Makes the table in which applied migrations are noted.
    ///
    /// Nodes that make it at the same moment collide in PostgreSQL's catalogues, `IF NOT EXISTS` or not, and which
    /// error that gives depends on where; what counts is that the table is there afterwards.
    private func createTable() async throws {
        do {
            _ = try await pool.query(PostgresQuery(MigrationStatements.createTable))
        } catch PostgresError.server(let error) {
            guard try await hasTable() else { throw PostgresError.server(error) }
        }
    }

    private func hasTable() async throws -> Bool {
        try await pool.query(PostgresQuery(MigrationStatements.tableExists)).first?.decode(Bool.self) == true
    }

    private static func compare(_ rows: PostgresRows) async throws -> MigrationReport {
        var checksums: [Int: String] = [:]
        for row in rows {
            let (number, checksum) = try row.decode(Int32.self, String.self)
            checksums[Int(number)] = checksum
        }
        var report = MigrationReport()
        for migration in Migration.all {
            switch checksums.removeValue(forKey: migration.number) {
            case nil: report.pending.append(migration)
            case migration.checksum: report.applied.append(migration)
            default: report.edited.append(migration)
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
}
