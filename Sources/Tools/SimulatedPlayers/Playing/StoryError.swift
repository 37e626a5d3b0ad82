/// Why a story cannot go on, other than for what the server or the simulator answers.
public enum StoryError: Error, CustomStringConvertible {
    /// A program that was run did not do what it was asked to.
    case programFailed(String, status: Int32, saying: String)
    /// What a program printed is not what it promises.
    case outputNotUnderstood(of: String, reason: String)
    /// The server tells of something that these players have never heard of.
    case unknownEvent(String)

    /// For people.
    public var description: String {
        switch self {
        case .programFailed(let name, let status, let words): "\(name) failed with status \(status): \(words)"
        case .outputNotUnderstood(let name, let reason): "what \(name) printed is not understood: \(reason)"
        case .unknownEvent(let kind): "nobody knows what the event '\(kind)' is"
        }
    }
}
