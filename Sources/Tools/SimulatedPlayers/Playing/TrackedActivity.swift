public import Encodings
public import Foundation
public import GameCore

/// A Live Activity on one player's phone.
public struct TrackedActivity: Sendable {
    /// The activity's identifier.
    public let id: ActivityID
    /// The phone's owner.
    public let playerID: PlayerID
    /// The phone.
    public let phoneID: UUID
    /// The owner's role.
    public let role: PlayerRole
    /// When the server registered it: earlier events are shown, but not alerted.
    public let registeredAt: Timestamp
    /// The number of the last push before its start; its own pushes have larger numbers.
    let lastPushBefore: Int
}

/// An adventure of a party, with the Live Activities that show it.
public struct TrackedAdventure: Sendable {
    /// The adventure's identifier.
    public let id: AdventureID
    /// One activity for each member.
    public let activities: [TrackedActivity]
}
