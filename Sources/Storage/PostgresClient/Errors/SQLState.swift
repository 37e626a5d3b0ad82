/// A SQLSTATE code: five characters that identify an error (PostgreSQL's manual, appendix A).
public struct SQLState: RawRepresentable, Hashable, Sendable {
    /// Five digits and capital letters.
    ///
    /// The first two are the class.
    public let rawValue: String

    /// Creates a state from its code.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A duplicate value for a unique key.
    public static let uniqueViolation = Self(rawValue: "23505")
    /// A foreign key without a referenced row, or a referenced row that cannot be removed.
    public static let foreignKeyViolation = Self(rawValue: "23503")
    /// A CHECK constraint is violated.
    public static let checkViolation = Self(rawValue: "23514")
    /// A column that must not be NULL is NULL.
    public static let notNullViolation = Self(rawValue: "23502")
    /// Concurrent transactions could not be serialized; this one was rolled back and may be repeated.
    public static let serializationFailure = Self(rawValue: "40001")
    /// A deadlock; this transaction was rolled back to resolve it.
    public static let deadlockDetected = Self(rawValue: "40P01")
    /// A lock was not available at once (NOWAIT) or within `lock_timeout`.
    public static let lockNotAvailable = Self(rawValue: "55P03")
    /// The statement was cancelled by the client or by the server's `statement_timeout`.
    public static let queryCancelled = Self(rawValue: "57014")
    /// The table does not exist, usually because migrations are missing.
    public static let undefinedTable = Self(rawValue: "42P01")
    /// The transaction has failed and accepts only ROLLBACK.
    public static let inFailedTransaction = Self(rawValue: "25P02")
    /// The statement is not prepared on this connection.
    static let invalidStatementName = Self(rawValue: "26000")
    /// Among other causes: a prepared statement returns other columns after a schema change.
    static let featureNotSupported = Self(rawValue: "0A000")
}
