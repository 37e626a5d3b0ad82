/// An expected event did not happen within a time limit.
public struct StoryTimeout: Error, CustomStringConvertible {
    /// What did not happen, and the time limit.
    public let description: String

    /// Creates an error.
    /// - Parameters:
    ///   - what: the description, without a full stop.
    ///   - limit: the time limit.
    public init(_ what: String, after limit: Duration) {
        description = "\(what) after \(limit.components.seconds) s"
    }
}
