/// How far a journey has come.
public struct JourneyProgress: Hashable, Sendable {
    /// Steps taken, 0…``steps``.
    public let step: Int
    /// Steps to the goal.
    public let steps: Int
}
