/// Why there is no PostgreSQL to test with.
public struct TestServerError: Error, CustomStringConvertible {
    /// What is wrong, and what the tool concerned has said.
    public let description: String

    /// An error with that text.
    init(_ description: String) {
        self.description = description
    }
}
