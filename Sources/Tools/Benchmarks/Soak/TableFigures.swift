import PrivatePostgres

/// What PostgreSQL says of the size of a table.
struct TableFigures: Hashable, Sendable {
    /// The large ones, and those from which things are removed.
    private static let statement = """
        SELECT relname, n_live_tup, n_dead_tup, pg_total_relation_size(relid) FROM pg_stat_user_tables ORDER BY relname;
        """
    /// The administrator's own is one of them.
    private static let sessions = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database();"

    let name: String
    let liveRows: Int
    let deadRows: Int
    let bytes: Int

    /// The tables of a database.
    static func read(from uri: String) async throws -> [Self] {
        try await PostgresShell.run(statement, on: uri).split(separator: "\n").compactMap { Self(String($0)) }
    }

    /// How many sessions there are on a database.
    static func sessions(on uri: String) async throws -> Int {
        let text = try await PostgresShell.run(sessions, on: uri)
        return text.split(separator: "\n").first.flatMap { Int($0) } ?? 0
    }

    /// A line of psql: `events|1200|30|1048576`.
    init?(_ line: String) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false)
        guard fields.count == 4, let live = Int(fields[1]), let dead = Int(fields[2]), let bytes = Int(fields[3]) else {
            return nil
        }
        name = String(fields[0])
        liveRows = live
        deadRows = dead
        self.bytes = bytes
    }
}
