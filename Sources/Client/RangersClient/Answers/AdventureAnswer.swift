public import Foundation
public import GameCore

/// An adventure as its party sees it.
public struct AdventureAnswer: Decodable, Hashable, Sendable {
    /// Where an adventure is in its life.
    public enum Status: String, Sendable {
        /// Made, and not begun.
        case ready
        /// Under way.
        case running
        /// Over.
        case ended
    }

    /// How far a journey has come.
    public struct Progress: Decodable, Hashable, Sendable {
        /// Steps made.
        public let step: Int
        /// Steps to make.
        public let steps: Int
    }

    /// Someone in the way of a journey.
    public struct Foe: Decodable, Hashable, Sendable {
        /// Which foe of the region.
        public let id: FoeID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
    }

    /// The open turn of a boss fight.
    public struct Turn: Decodable, Hashable, Sendable {
        /// 1 and up.
        public let number: Int
        /// Whose turn it is; the boss's when nil.
        public let seat: Seat?
        /// When the turn passes on by itself.
        public let endsAt: Date?
    }

    /// Names the adventure.
    public let adventureID: AdventureID
    /// Whose it is.
    public let partyID: PartyID
    /// Whether it travels or fights.
    public let kind: Word<AdventureKind>
    /// Where it is in its life.
    public let status: Word<Status>
    /// Steps or turns that have been played.
    public let tick: Int
    /// By seat.
    public let heroes: [Hero]
    /// In a boss fight.
    public let boss: Boss?
    /// In a boss fight that goes on.
    public let turn: Turn?
    /// Where a journey leads through.
    public let region: RegionID?
    /// Where a journey is.
    public let place: PlaceID?
    /// How far a journey has come.
    public let progress: Progress?
    /// Who stands in the way of a journey.
    public let foe: Foe?
    /// The number of the newest event.
    public let sequence: Int
    /// When it was started.
    public let startedAt: Date
    /// When it ended; nil before.
    public let endedAt: Date?
    /// How it ended; nil before.
    public let outcome: Word<Outcome>?

    /// Whether nothing changes any more.
    public var isOver: Bool { outcome != nil }

    /// The hero of a player; nil when the player has none in it.
    public func hero(of player: PlayerID) -> Hero? {
        heroes.first { $0.playerID == player && !$0.hasLeft }
    }
}
