public import Foundation
public import GameCore

/// A raid: one boss against all parties that take part.
public struct RaidResponse: Decodable, Hashable, Sendable {
    /// The lifecycle state of a raid.
    public enum State: String, Sendable {
        /// It has not begun yet.
        case scheduled
        /// Parties may join, and fight.
        case running
        /// The boss was defeated.
        case defeated
        /// The time was over before the boss was defeated.
        case escaped
        /// An operator stopped it.
        case stopped
    }

    /// The common boss.
    public struct Boss: Decodable, Hashable, Sendable {
        /// The boss's identifier.
        public let id: BossID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
        /// The health left, after the newest round.
        public let health: Int
        /// The full health.
        public let maximumHealth: Int
        /// The health as a fraction of the full health, 0…1.
        public let healthLevel: Double
        /// The phase, from 1; it increases each time the boss is enraged.
        public let phase: Int
    }

    /// A blow at the boss.
    public struct Blow: Decodable, Hashable, Sendable {
        /// The damage of the blow.
        public let damage: Int
        /// When it was dealt.
        public let at: Date
        /// The fight in which it was dealt: an app compares it with that of its own party.
        public let adventureID: AdventureID
    }

    /// A party's place in the ranking.
    public struct Place: Decodable, Hashable, Sendable {
        /// The place, from 1.
        public let place: Int
        /// The number of parties in the ranking.
        public let of: Int
        /// The party's counted damage.
        public let damage: Int
    }

    /// The raid's identifier.
    public let raidID: RaidID
    /// The lifecycle state.
    public let state: OpenEnum<State>
    /// The common boss.
    public let boss: Boss
    /// The regions in which the boss rages.
    public let regions: [RegionID]
    /// The start.
    public let startsAt: Date
    /// The time at which the boss escapes.
    public let endsAt: Date
    /// When it was over; nil before.
    public let endedAt: Date?
    /// The number of rounds, of a second each, that are added up.
    public let round: Int
    /// The damage of all parties.
    public let damage: Int
    /// The number of parties that fight.
    public let parties: Int
    /// The biggest blow; nil before the first.
    public let biggestBlow: Blow?
    /// The blow that defeated the boss; nil unless the boss was defeated.
    public let finishingBlow: Blow?
    /// The place of the party that the request named; nil without a place, or if the request named no party.
    public let place: Place?
    /// The broadcast channels that show the raid, by the raw values of `PushEnvironment`; nil until APNs has created one,
    /// in lists, and after the end.
    public let channels: [String: String]?
    /// The shards whose rounds the raid waits for; nil in responses to players.
    package let waitingFor: [Int]?
    /// Whether nothing was changed; nil in responses to players.
    package let dryRun: Bool?

    /// Whether it has ended.
    public var isOver: Bool { endedAt != nil }
}

/// A page of a raid's history.
public struct RaidRoundsPage: Decodable, Hashable, Sendable {
    /// A round of a raid.
    public struct Round: Decodable, Hashable, Sendable {
        /// The round's number, from 0: it begins so many seconds after the raid.
        public let round: Int
        /// The damage of all parties in the round.
        public let damage: Int
        /// The boss's health at the end of the round.
        public let health: Int
        /// The boss's phase at the end of the round.
        public let phase: Int
        /// The number of parties that fought.
        public let parties: Int
    }

    /// The rounds, in order.
    public let rounds: [Round]
    /// The value of `after` for the next page; nil if this is currently the last.
    public let next: Int?
}

/// The ranking of a raid.
public struct RaidRanking: Decodable, Hashable, Sendable {
    /// A party in the ranking.
    public struct Entry: Decodable, Hashable, Sendable {
        /// The place, from 1.
        public let place: Int
        /// The party's identifier.
        public let partyID: PartyID
        /// The party's counted damage.
        public let damage: Int
    }

    /// The first hundred parties, the best first.
    public let parties: [Entry]
}

/// The raids of a server.
package struct RaidList: Decodable {
    package let raids: [RaidResponse]
}
