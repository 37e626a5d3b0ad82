/// A row that cannot be read as the types that were asked for: the schema and the program disagree.
public struct PostgresDecodingError: Error, Hashable, Sendable {
    /// The name of the statement that returned the row.
    public let statement: String
    /// The column, or nil when the number of columns is wrong.
    public let column: String?
    /// What was asked for.
    public let expected: String
    /// What is there; never the value itself.
    public let actual: String
}

extension PostgresDecodingError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        let place = column.map { "column \($0) of statement \(statement)" } ?? "statement \(statement)"
        return "\(place) cannot be decoded: expected \(expected), found \(actual)"
    }
}
