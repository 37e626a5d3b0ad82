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
    /// The time at which the server registered the activity; its pushes show earlier events, but without alerts.
    public let registeredAt: Timestamp
    /// The number of the last push before the activity's start; the activity's pushes have larger numbers.
    let lastPushBefore: Int
}

/// An adventure of a party, with the Live Activities that show it.
public struct TrackedAdventure: Sendable {
    /// The adventure's identifier.
    public let id: AdventureID
    /// One activity for each member.
    public let activities: [TrackedActivity]
}
