import ArgumentParser

/// What an operator is called: something that can be typed, and that stays in one piece in logs and lists.
struct OperatorName: ExpressibleByArgument {
    /// Longer than any name or address of a person, short enough for a table.
    private static let longest = 64

    let text: String

    init?(argument: String) {
        guard
            (1...Self.longest).contains(argument.count),
            argument.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.@".contains($0)) })
        else {
            return nil
        }
        text = argument
    }
}
