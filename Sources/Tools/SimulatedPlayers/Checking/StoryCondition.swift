/// One thing that must hold after an adventure, and whether it does.
public struct StoryCondition: Encodable, Sendable {
    /// What must hold, as a sentence without its full stop.
    public let condition: String
    /// What is worth knowing even when it holds.
    public let note: String?
    /// Which phone differs and how, a line for each; empty when the condition holds.
    public let faults: [String]

    /// Whether it holds.
    public var holds: Bool { faults.isEmpty }
}
