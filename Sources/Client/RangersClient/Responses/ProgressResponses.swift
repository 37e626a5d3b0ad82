public import Foundation
public import GameCore

/// A page of a player's ended adventures, those that started last first.
public struct HistoryPage: Decodable, Hashable, Sendable {
    /// An ended adventure.
    public struct Adventure: Decodable, Hashable, Sendable {
        /// The adventure's identifier.
        public let adventureID: AdventureID
        /// The party that was on it.
        public let partyID: PartyID
        /// The kind of adventure.
        public let kind: OpenEnum<AdventureKind>
        /// The region of a journey; nil for a fight.
        public let region: RegionID?
        /// The boss of a fight; nil for a journey.
        public let boss: BossID?
        /// How it ended.
        public let outcome: OpenEnum<AdventureOutcome>
        /// The player's hero, with its level at the end.
        public let hero: HeroResponse
        /// The experience that the hero gained.
        public let experience: Int
        /// When it started.
        public let startedAt: Date
        /// When it ended.
        public let endedAt: Date
    }

    /// The adventures.
    public let adventures: [Adventure]
    /// The value of `after` for the next page; nil on the last one.
    public let next: AdventureID?
}

/// A leaderboard of the current season or week.
public struct LeaderboardResponse: Decodable, Hashable, Sendable {
    /// A player in the leaderboard.
    public struct Entry: Decodable, Hashable, Sendable {
        /// The rank, from 1; players with the same score have the same rank.
        ///
        /// Exact for the first hundred; farther down it may be an estimate.
        public let rank: Int
        /// The player's name, or the hero's if the player does not want it to be shown.
        public let displayName: String
        /// The player's hero, with its level now.
        public let hero: HeroResponse
        /// The score in the period.
        public let score: Int
        /// Whether it is the player of the request.
        public let isCaller: Bool
    }

    /// What players are compared by.
    public let board: OpenEnum<Leaderboard>
    /// The kind of period.
    public let period: OpenEnum<LeaderboardPeriod>
    /// When the period began.
    public let startsAt: Date
    /// When the period ends.
    public let endsAt: Date
    /// The players with the best scores, at most 100.
    public let top: [Entry]
    /// The player between better and worse ones; empty for a player without a score in the period.
    public let around: [Entry]?
}
