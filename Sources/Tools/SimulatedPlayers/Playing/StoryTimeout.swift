/// An expected event did not happen within a time limit.
public struct StoryTimeout: Error, CustomStringConvertible {
    /// The condition that did not hold in time, and the time limit.
    public let description: String

    /// Creates an error.
    /// - Parameters:
    ///   - what: the state at the time limit, without a full stop.
    ///   - limit: the time limit.
    public init(_ what: String, after limit: Duration) {
        description = "\(what) after \(limit.components.seconds) s"
    }
}
