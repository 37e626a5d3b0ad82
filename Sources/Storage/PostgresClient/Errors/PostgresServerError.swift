/// An error that the server reported for a statement.
public struct PostgresServerError: Error, Hashable, Sendable {
    /// The SQLSTATE.
    public let state: SQLState
    /// The server's primary message.
    public let message: String
    /// The server's detail message.
    ///
    /// Excluded from `description` because it may quote values of rows.
    public let detail: String?
    /// The server's hint.
    public let hint: String?
    /// The table concerned, if any.
    public let table: String?
    /// The column concerned, if any.
    public let column: String?
    /// The violated constraint, if any; see ``isViolation(of:)``.
    public let constraint: String?
    /// The name of the statement that failed.
    public let statement: String

    /// Returns whether the error reports a violation of this constraint.
    ///
    /// A distributed PostgreSQL (Citus) reports the constraint of one shard of the table, whose name ends in the
    /// shard's number, as in `activities_pkey_102017`. Such names match too.
    public func isViolation(of constraint: String) -> Bool {
        guard state.rawValue.hasPrefix("23"), let reported = self.constraint else { return false }
        guard reported != constraint else { return true }
        guard reported.hasPrefix(constraint + "_") else { return false }
        let shard = reported.dropFirst(constraint.count + 1)
        return !shard.isEmpty && shard.allSatisfy(\.isASCIIDigit)
    }
}

extension PostgresServerError: CustomStringConvertible, CustomDebugStringConvertible {
    /// A description in one line, for logs, without ``detail``.
    public var description: String {
        var text = "statement \(statement) failed: \(message) (SQLSTATE \(state.rawValue)"
        if let constraint { text += ", constraint \(constraint)" }
        text += ")"
        if let hint { text += "; \(hint)" }
        return text
    }

    /// The description.
    ///
    /// Debug output ends up in logs too.
    public var debugDescription: String { description }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
