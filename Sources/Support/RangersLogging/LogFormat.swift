/// The format of log lines.
public enum LogFormat: String, CaseIterable, Sendable {
    /// Text: time, level, label, message, then `key=value`.
    case text
    /// A JSON object.
    case json
}
