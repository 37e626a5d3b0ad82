/// A condition on finished adventures, with its result.
public struct StoryCondition: Encodable, Sendable {
    /// The condition, as a sentence without a full stop.
    public let condition: String
    /// Additional information, whether or not the condition holds.
    public let note: String?
    /// The faults, each with its phone; empty when the condition holds.
    public let faults: [String]

    /// Whether the condition holds.
    public var holds: Bool { faults.isEmpty }

    /// The condition as text, with its faults.
    var lines: [String] {
        ["\(holds ? "✔" : "✘") \(condition)\(note.map { " (\($0))" } ?? "")"] + faults.map { "    \($0)" }
    }
}
