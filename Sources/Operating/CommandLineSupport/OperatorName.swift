public import ArgumentParser

/// The name of an operator: ASCII letters, digits and `-_.@`, so that it can be typed and is one word in logs.
public struct OperatorName: ExpressibleByArgument, Sendable {
    /// The name.
    public let text: String

    /// Parses an argument; nil unless it has 1 to 64 allowed characters.
    public init?(argument: String) {
        // The server has the same rule. The length is enough for an email address, and short enough for a table.
        guard argument.wholeMatch(of: /[A-Za-z0-9_.@-]{1,64}/) != nil else { return nil }
        text = argument
    }
}
