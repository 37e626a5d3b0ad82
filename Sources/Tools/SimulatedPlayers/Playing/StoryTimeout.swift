/// Something that should have happened did not, however long it was waited for.
public struct StoryTimeout: Error, CustomStringConvertible {
    /// What did not happen, and how long it was waited for.
    public let description: String

    /// - Parameters:
    ///   - what: a sentence without its full stop.
    ///   - limit: how long it was waited for.
    public init(_ what: String, after limit: Duration) {
        description = "\(what) after \(limit.components.seconds) s"
    }
}
