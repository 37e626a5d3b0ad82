/// Where senders come in; the raw values are names that scripts ask for.
enum Door: String, CaseIterable, Codable, Sendable {
    /// For pushes to devices and to channels.
    case pushes
    /// For the management of channels.
    case channels
}
