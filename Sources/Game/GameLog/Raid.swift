public import Encodings
public import GameCore

/// A raid: one boss against every party that takes part.
public struct Raid: Hashable, Sendable {
    /// The stage of a raid.
    public enum State: String, Codable, Hashable, Sendable {
        /// It starts later.
        case scheduled
        /// Parties join it, and fight.
        case running
        /// The parties have defeated the boss.
        case defeated
        /// It ran out, and the boss escaped.
        case escaped
        /// An operator has stopped it.
        case stopped

        /// Creates the state after an outcome.
        public init(_ outcome: RaidDecision.Outcome) {
            switch outcome {
            case .defeated: self = .defeated
            case .escaped: self = .escaped
            case .stopped: self = .stopped
            }
        }
    }

    /// The identifier; its last byte is the raid's home.
    public let id: RaidID
    /// The boss, of ``BossCatalogue``.
    public let boss: BossID
    /// The regions in which the boss rages.
    public let regions: [RegionID]
    /// The rounds.
    public let schedule: RaidSchedule
    /// The health of the boss at the beginning.
    public let health: Int
    /// The damage of all rounds that are added up.
    public let dealt: Int
    /// The phase of the boss, from 1.
    public let phase: Int
    /// The number of rounds that are added up, so the next round.
    public let round: Int
    /// The number of the parties' fights in the newest of them.
    public let parties: Int
    /// The blow of the greatest damage; nil without blows.
    public let biggestBlow: RaidBlow?
    /// The newest decision; nil before the first one.
    public let decision: RaidDecision?
    /// The shards whose rows of the next round, or whose blows in it, are missing for more than a second.
    public let waitingFor: [Shard]
    /// The stage as of the moment of reading.
    public let state: State
    /// When it ended; nil before.
    public let endedAt: Timestamp?

    /// Creates a raid.
    public init(
        id: RaidID,
        boss: BossID,
        regions: [RegionID],
        schedule: RaidSchedule,
        health: Int,
        dealt: Int = 0,
        phase: Int = 1,
        round: Int = 0,
        parties: Int = 0,
        biggestBlow: RaidBlow? = nil,
        decision: RaidDecision? = nil,
        waitingFor: [Shard] = [],
        state: State,
        endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.boss = boss
        self.regions = regions
        self.schedule = schedule
        self.health = health
        self.dealt = dealt
        self.phase = phase
        self.round = round
        self.parties = parties
        self.biggestBlow = biggestBlow
        self.decision = decision
        self.waitingFor = waitingFor
        self.state = state
        self.endedAt = endedAt
    }

    /// The owner of its broadcast channels.
    public var channelOwner: BroadcastChannel.Owner { BroadcastChannel.Owner(.raid, id.rawValue) }
    /// When it starts.
    public var startsAt: Timestamp { schedule.startsAt }
    /// When the boss escapes.
    public var endsAt: Timestamp { schedule.endsAt }
    /// The health that the boss has left.
    public var healthLeft: Int { health - dealt }
    /// The blow that defeated the boss; nil without a defeat.
    public var finishingBlow: RaidBlow? {
        if case .defeated(let blow) = decision?.outcome { blow } else { nil }
    }

    /// The arithmetic of the home, as of the newest round.
    /// - Parameter members: the shards with parties in the raid, each with its first round.
    /// - Returns: the ledger.
    package func ledger(of members: [Shard: Int]) -> RaidLedger {
        RaidLedger(
            schedule: schedule,
            boss: boss,
            maximumHealth: health,
            dealt: dealt,
            phase: phase,
            nextRound: round,
            members: members,
            decision: decision,
            biggestBlow: biggestBlow
        )
    }
}

/// A raid that an operator starts.
public struct RaidPlan: Hashable, Sendable {
    /// The boss, of ``BossCatalogue``.
    public let boss: BossID
    /// The health of the boss, 1…``RaidOpening/maxHealth``.
    public let health: Int
    /// When it starts; nil for at once.
    public let startsAt: Timestamp?
    /// How long it lasts at most: a second to ``RaidSchedule/maxDuration``.
    public let duration: Duration
    /// The regions in which the boss rages.
    public let regions: [RegionID]

    /// Creates a plan.
    public init(boss: BossID, health: Int, startsAt: Timestamp?, duration: Duration, regions: [RegionID]) {
        self.boss = boss
        self.health = health
        self.startsAt = startsAt
        self.duration = duration
        self.regions = regions
    }
}

/// A round of a raid that is added up.
public struct RaidHistoryEntry: Hashable, Sendable {
    /// The round, from 0.
    public let round: Int
    /// The damage that counts.
    public let damage: Int
    /// The number of the parties' fights.
    public let parties: Int
    /// The health that the boss had left after it.
    public let healthLeft: Int
    /// The phase of the boss after it, from 1.
    public let phase: Int
    /// The blow of the greatest damage; nil without blows.
    public let biggestBlow: RaidBlow?

    /// Creates an entry.
    public init(round: Int, damage: Int, parties: Int, healthLeft: Int, phase: Int, biggestBlow: RaidBlow?) {
        self.round = round
        self.damage = damage
        self.parties = parties
        self.healthLeft = healthLeft
        self.phase = phase
        self.biggestBlow = biggestBlow
    }
}

/// A party among the first of a raid.
public struct RaidRankingEntry: Hashable, Sendable {
    /// The place, from 1; parties with the same damage have the same one.
    public let place: Int
    /// The party.
    public let partyID: PartyID
    /// The damage of all of its fights in the raid that counts.
    public let damage: Int

    /// Creates an entry.
    public init(place: Int, partyID: PartyID, damage: Int) {
        self.place = place
        self.partyID = partyID
        self.damage = damage
    }
}

/// The place of a party among all parties of a raid.
public struct RaidPlace: Hashable, Sendable {
    /// The place, from 1; parties with the same damage have the same one.
    public let place: Int
    /// The number of parties.
    public let of: Int
    /// The damage of all of its fights in the raid that counts.
    public let damage: Int

    /// Creates a place.
    public init(place: Int, of count: Int, damage: Int) {
        self.place = place
        of = count
        self.damage = damage
    }
}
