public import Encodings
public import Foundation
public import GameCore

/// One Live Activity on one player's phone.
public struct FollowedActivity: Sendable {
    /// As the app named it.
    public let id: ActivityID
    /// Whose phone it is on.
    public let playerID: PlayerID
    /// Which phone it is on.
    public let phoneID: UUID
    /// Who the phone's owner is.
    public let role: PlayerRole
    /// When the server knew of it: what happened before is shown, but not alerted.
    public let registeredAt: Timestamp
    /// The number of the last push to anybody before it: there is no need to look for its pushes further back.
    let lastPushBefore: Int
}

/// An adventure of a party, with the Live Activities that show it.
public struct FollowedAdventure: Sendable {
    /// Names the adventure.
    public let id: AdventureID
    /// One for each member.
    public let activities: [FollowedActivity]
}
