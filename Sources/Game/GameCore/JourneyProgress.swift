/// The progress of a journey.
public struct JourneyProgress: Hashable, Sendable {
    /// The number of steps taken, 0…``steps``.
    public let step: Int
    /// The number of steps to the goal.
    public let steps: Int
}
