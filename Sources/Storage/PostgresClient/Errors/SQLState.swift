/// The five characters by which PostgreSQL tells its errors apart (its manual, appendix A).
public struct SQLState: RawRepresentable, Hashable, Sendable {
    /// Five digits and capital letters; the first two are the class.
    public let rawValue: String

    /// The state with that code.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A unique key exists already.
    public static let uniqueViolation = Self(rawValue: "23505")
    /// A foreign key points at nothing, or is still pointed at.
    public static let foreignKeyViolation = Self(rawValue: "23503")
    /// A CHECK does not hold.
    public static let checkViolation = Self(rawValue: "23514")
    /// A column that must not be NULL is.
    public static let notNullViolation = Self(rawValue: "23502")
    /// Concurrent transactions cannot both take effect; one must be run again.
    public static let serializationFailure = Self(rawValue: "40001")
    /// Transactions wait for each other in a circle; this one was chosen to end.
    public static let deadlockDetected = Self(rawValue: "40P01")
    /// A lock was not to be had at once (NOWAIT) or in `lock_timeout`.
    public static let lockNotAvailable = Self(rawValue: "55P03")
    /// The statement was cancelled, by us or by the server's own `statement_timeout`.
    public static let queryCancelled = Self(rawValue: "57014")
    /// The table does not exist: migrations are missing.
    public static let undefinedTable = Self(rawValue: "42P01")
    /// The transaction has failed before; it only takes ROLLBACK.
    public static let inFailedTransaction = Self(rawValue: "25P02")
    /// A statement is not prepared on this connection.
    static let invalidStatementName = Self(rawValue: "26000")
    /// Among others: a prepared statement returns other columns since the schema has changed.
    static let featureNotSupported = Self(rawValue: "0A000")
}
