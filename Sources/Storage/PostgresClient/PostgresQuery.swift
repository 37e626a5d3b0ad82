/// A statement with the values of its parameters, encoded.
///
/// The values are encoded once, into one buffer, when the query is made; nothing refers to the originals afterwards.
public struct PostgresQuery: Sendable {
    /// What runs.
    public let statement: Statement
    /// What `$1`, `$2`, … stand for, in PostgreSQL's binary format.
    let parameters: PostgresBuffer
    /// The types declared for the parameters, in order.
    let types: [PostgresType]

    /// A statement with values for `$1`, `$2`, … in order.
    public init<each Value: PostgresEncodable>(_ statement: Statement, _ parameters: repeat each Value) {
        var buffer = PostgresBuffer()
        var types: [PostgresType] = []
        for value in repeat each parameters {
            types.append(type(of: value).postgresType)
            buffer.appendField(value)
        }
        self.statement = statement
        self.parameters = buffer
        self.types = types
    }
}
