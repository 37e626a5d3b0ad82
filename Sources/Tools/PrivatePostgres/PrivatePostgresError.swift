/// The reason why a private PostgreSQL server cannot be used.
public struct PrivatePostgresError: Error, CustomStringConvertible {
    /// The reason, with the output of the failed program.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
