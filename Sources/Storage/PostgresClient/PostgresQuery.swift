/// A statement with its encoded parameters.
///
/// The values are encoded once, into one buffer, when the query is created.
public struct PostgresQuery: Sendable {
    /// The statement to run.
    public let statement: Statement
    /// The values of `$1`, `$2`, …, in PostgreSQL's binary format.
    let parameters: PostgresBuffer
    /// The declared types of the parameters, in order.
    let types: [PostgresType]

    /// Creates a query from a statement and the values of `$1`, `$2`, …, in order.
    public init<each Value: PostgresEncodable>(_ statement: Statement, _ parameters: repeat each Value) {
        self.statement = statement
        (self.types, self.parameters) = PostgresBuffer.encode(repeat each parameters)
    }
}
