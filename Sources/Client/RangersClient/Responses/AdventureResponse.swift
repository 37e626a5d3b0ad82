public import Foundation
public import GameCore

/// An adventure as the members of its party see it.
public struct AdventureResponse: Decodable, Hashable, Sendable {
    /// The lifecycle state of an adventure.
    public enum Status: String, Sendable {
        /// Created but not started.
        case ready
        /// Running.
        case running
        /// Ended.
        case ended
    }

    /// The progress of a journey.
    public struct Progress: Decodable, Hashable, Sendable {
        /// The number of steps made.
        public let step: Int
        /// The total number of steps.
        public let steps: Int
    }

    /// A foe on a journey.
    public struct Foe: Decodable, Hashable, Sendable {
        /// The foe's identifier in its region.
        public let id: FoeID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
    }

    /// The current turn of a boss fight.
    public struct Turn: Decodable, Hashable, Sendable {
        /// The number of the turn, from 1.
        public let number: Int
        /// The hero whose turn it is; nil for the boss.
        public let seat: Seat?
        /// The time at which the turn ends if no command arrives.
        public let endsAt: Date?
    }

    /// The adventure's identifier.
    public let adventureID: AdventureID
    /// The party on the adventure.
    public let partyID: PartyID
    /// The kind of adventure.
    public let kind: OpenEnum<AdventureKind>
    /// The lifecycle state.
    public let status: OpenEnum<Status>
    /// The number of ticks played: steps of a journey, turns of a boss fight.
    public let tick: Int
    /// The heroes in the order of their seats.
    public let heroes: [Hero]
    /// The boss; nil on a journey.
    public let boss: Boss?
    /// The current turn; nil on a journey and after the end of a fight.
    public let turn: Turn?
    /// The region of a journey; nil in a boss fight.
    public let region: RegionID?
    /// The current location of a journey; nil in a boss fight.
    public let location: LocationID?
    /// The progress of a journey; nil in a boss fight.
    public let progress: Progress?
    /// The foe that blocks a journey; nil if there is none.
    public let foe: Foe?
    /// The sequence number of the newest event.
    public let sequence: Int
    /// The start time of the adventure.
    public let startedAt: Date
    /// The end time of the adventure; nil while it has not ended.
    public let endedAt: Date?
    /// The outcome of the adventure; nil while it has not ended.
    public let outcome: OpenEnum<AdventureOutcome>?

    /// Whether the adventure has ended.
    public var isOver: Bool { outcome != nil }

    /// The kind of adventure; that of the older kinds which a newer one is most like.
    var knownKind: AdventureKind { kind.value ?? (boss == nil ? .journey : .bossFight) }

    /// Returns the hero of a player; nil if the player has none in this adventure.
    public func hero(of player: PlayerID) -> Hero? {
        heroes.first { $0.playerID == player && !$0.hasLeft }
    }
}
