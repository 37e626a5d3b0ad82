public import Encodings
public import GameCore

/// An ordinary alert that was claimed for a device.
public struct SentAlert: Hashable, Sendable {
    /// The adventure that the alert is about.
    public let adventureID: AdventureID
    /// The sequence of the event within the adventure.
    public let sequence: Int
    /// When the alert was claimed.
    public let at: Timestamp

    /// Creates a record.
    public init(adventureID: AdventureID, sequence: Int, at: Timestamp) {
        self.adventureID = adventureID
        self.sequence = sequence
        self.at = at
    }
}
