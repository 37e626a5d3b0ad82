/// An error that the server has reported for a statement.
public struct PostgresServerError: Error, Hashable, Sendable {
    /// What kind of error.
    public let state: SQLState
    /// The server's sentence.
    public let message: String
    /// More about it.
    ///
    /// May quote values of rows, so it is no part of `description`.
    public let detail: String?
    /// What the server advises.
    public let hint: String?
    /// The table concerned, where there is one.
    public let table: String?
    /// The column concerned, where there is one.
    public let column: String?
    /// The constraint that does not hold; see ``isViolation(of:)``.
    public let constraint: String?
    /// The name of the statement that failed.
    public let statement: String

    /// Whether the error says that this constraint does not hold.
    ///
    /// A distributed PostgreSQL (Citus) reports the constraint of one shard of the table, whose name carries the
    /// shard's number, as in `activities_pkey_102017`; such names count too.
    public func isViolation(of constraint: String) -> Bool {
        guard state.rawValue.hasPrefix("23"), let reported = self.constraint else { return false }
        guard reported != constraint else { return true }
        guard reported.hasPrefix(constraint + "_") else { return false }
        let shard = reported.dropFirst(constraint.count + 1)
        return !shard.isEmpty && shard.allSatisfy(\.isASCIIDigit)
    }
}

extension PostgresServerError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line for a log, without ``detail``.
    public var description: String {
        var text = "statement \(statement) failed: \(message) (SQLSTATE \(state.rawValue)"
        if let constraint { text += ", constraint \(constraint)" }
        text += ")"
        if let hint { text += "; \(hint)" }
        return text
    }

    /// The same: debugging output ends up in logs too.
    public var debugDescription: String { description }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
