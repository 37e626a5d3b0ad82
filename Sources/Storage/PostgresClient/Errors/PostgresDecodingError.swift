/// A row that cannot be decoded as the requested types: the schema and the program disagree.
public struct PostgresDecodingError: Error, Hashable, Sendable {
    /// The name of the statement that returned the row.
    public let statement: String
    /// The column; nil if the number of columns is wrong.
    public let column: String?
    /// The expected type or number of columns.
    public let expected: String
    /// The actual type or number of columns.
    ///
    /// Never the value itself.
    public let actual: String
}

extension PostgresDecodingError: CustomStringConvertible {
    /// A description in one line, for logs.
    public var description: String {
        let location = column.map { "column \($0) of statement \(statement)" } ?? "statement \(statement)"
        return "\(location) cannot be decoded: expected \(expected), found \(actual)"
    }
}
