/// The simulator's APNs endpoints; the raw values are part of its API.
enum Endpoint: String, CaseIterable, Codable, Sendable {
    /// Takes pushes to devices and to channels.
    case pushes
    /// Takes requests that manage channels.
    case channels
}
