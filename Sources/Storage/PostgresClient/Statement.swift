/// A SQL statement with a name that identifies it in errors, logs and `pg_prepared_statements`.
///
/// Statements are constants of the program: each connection prepares a statement on first use and keeps it, without a
/// limit on their number. Pass values as parameters; never build `sql` at run time.
public struct Statement: Hashable, Sendable {
    /// The length limit of a name in PostgreSQL: `NAMEDATALEN` minus the terminating zero.
    static let maximumNameBytes = 63

    /// A name that is unique in the program, for example `party.join`.
    public let name: String
    /// The SQL text, with parameters written as `$1`, `$2` and so on.
    public let sql: String

    /// Creates a statement.
    /// - Parameters:
    ///   - name: a unique name of 1 to 63 bytes.
    ///   - sql: exactly one SQL statement.
    public init(_ name: String, _ sql: String) {
        precondition(
            !name.isEmpty && name.utf8.count <= Self.maximumNameBytes,
            "the statement name '\(name)' must have 1 to \(Self.maximumNameBytes) bytes"
        )
        self.name = name
        self.sql = sql
    }
}
