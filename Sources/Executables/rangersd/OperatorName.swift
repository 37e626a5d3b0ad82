import ArgumentParser

/// The name of an operator: ASCII letters, digits and `-_.@`, so that it can be typed and is one word in logs.
struct OperatorName: ExpressibleByArgument {
    /// The maximum length: enough for an email address, short enough for a table.
    private static let maxLength = 64

    let text: String

    init?(argument: String) {
        guard
            (1...Self.maxLength).contains(argument.count),
            argument.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.@".contains($0)) })
        else {
            return nil
        }
        text = argument
    }
}
