/// How a line of the log looks.
public enum LogFormat: String, CaseIterable, Sendable {
    /// For people: time, level, who says so, the message, then `key=value`.
    case text
    /// For machines: one JSON object.
    case json
}
