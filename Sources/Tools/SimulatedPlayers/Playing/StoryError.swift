/// The reason why a story cannot continue, apart from errors of the server and the simulator.
public enum StoryError: Error, CustomStringConvertible {
    /// A program exited with an error.
    case programFailed(String, status: Int32, errorOutput: String)
    /// A program's output has an unexpected format.
    case outputNotUnderstood(of: String, reason: String)
    /// The server reported an unknown event.
    case unknownEvent(String)

    /// The description for people.
    public var description: String {
        switch self {
        case .programFailed(let name, let status, let errorOutput):
            "\(name) failed with status \(status): \(errorOutput)"
        case .outputNotUnderstood(let name, let reason): "\(name) printed unexpected output: \(reason)"
        case .unknownEvent(let kind): "unknown event '\(kind)'"
        }
    }
}
