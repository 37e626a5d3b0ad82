/// One SQL statement with a name that tells it apart in errors, logs and `pg_prepared_statements`.
///
/// Statements are constants of the program: each connection prepares one the first time it runs it and keeps it,
/// without a bound. Text made at run time belongs into parameters, never into `sql`.
public struct Statement: Hashable, Sendable {
    /// The longest name that PostgreSQL tells apart: `NAMEDATALEN` less the terminating zero.
    static let maximumNameBytes = 63

    /// Unique in the program, for example `party.join`.
    public let name: String
    /// The statement, with its parameters written as `$1`, `$2` and so on.
    public let sql: String

    /// A statement and its name.
    /// - Parameters:
    ///   - name: 1 to 63 bytes, the same for no other statement.
    ///   - sql: exactly one SQL statement.
    public init(_ name: String, _ sql: String) {
        precondition(!name.isEmpty && name.utf8.count <= Self.maximumNameBytes, "statement name '\(name)' is unusable")
        self.name = name
        self.sql = sql
    }
}
