import Encodings
import GameCore
import GameLog
import GameStore
import Hummingbird

/// A raid as players and operators see it.
struct RaidView: Encodable {
    /// The readers of a view.
    enum Audience {
        case players
        case operators
    }

    struct Boss: Encodable {
        let id: BossID
        let name: String
        let avatar: String
        let health: Int
        let maximumHealth: Int
        let healthLevel: Double
        /// From 1; it increases each time the boss is enraged.
        let phase: Int
    }

    struct Blow: Encodable {
        let damage: Int
        let at: String
        let adventureID: AdventureID

        init(_ blow: RaidBlow) {
            damage = blow.damage
            at = blow.at.rfc3339
            adventureID = blow.adventureID
        }
    }

    /// A party's place in the ranking.
    struct Place: Encodable {
        let place: Int
        let of: Int
        let damage: Int

        init(_ place: RaidPlace) {
            self.place = place.place
            of = place.of
            damage = place.damage
        }
    }

    let raidID: RaidID
    let state: Raid.State
    let boss: Boss
    let regions: [RegionID]
    let startsAt: String
    let endsAt: String
    let endedAt: String?
    /// The number of rounds that are added up.
    let round: Int
    let damage: Int
    let parties: Int
    let biggestBlow: Blow?
    let finishingBlow: Blow?
    /// The place of the party that the request names; nil if it names none, or if the party has none yet.
    let place: Place?
    /// The broadcast channels that show the raid, by APNs environment; nil until APNs has created one, and in lists.
    let channels: [String: String]?
    /// The shards whose rounds the raid waits for; nil for players.
    let waitingFor: [Int]?
    /// Whether the request of an operator that could change something changed nothing; nil for other requests.
    let dryRun: Bool?

    init(
        _ raid: Raid,
        for audience: Audience,
        place: Place? = nil,
        channels: [BroadcastChannel] = [],
        dryRun: Bool? = nil
    ) {
        raidID = raid.id
        state = raid.state
        boss = Boss(
            id: raid.boss,
            name: raid.boss.name,
            avatar: raid.boss.avatar,
            health: raid.healthLeft,
            maximumHealth: raid.health,
            healthLevel: Double(raid.healthLeft) / Double(raid.health),
            phase: raid.phase
        )
        regions = raid.regions
        startsAt = raid.startsAt.rfc3339
        endsAt = raid.endsAt.rfc3339
        endedAt = raid.endedAt?.rfc3339
        round = raid.round
        damage = raid.dealt
        parties = raid.parties
        biggestBlow = raid.biggestBlow.map(Blow.init)
        finishingBlow = raid.finishingBlow.map(Blow.init)
        self.place = place
        let ids = channels.compactMap { channel in channel.channelID.map { (channel.key.environment.rawValue, $0) } }
        self.channels = ids.isEmpty ? nil : Dictionary(ids, uniquingKeysWith: { $1 })
        self.dryRun = dryRun
        switch audience {
        case .players: waitingFor = nil
        case .operators: waitingFor = raid.waitingFor.map { Int($0.rawValue) }
        }
    }
}

/// A page of a raid's history.
struct RaidRoundsView: Encodable {
    private static let defaultLimit = 100
    private static let maxLimit = 1_000

    /// The query parameters of a request for a page.
    static let query: Set = ["after", "limit"]

    struct Round: Encodable {
        let round: Int
        let damage: Int
        let health: Int
        let phase: Int
        let parties: Int

        init(_ entry: RaidHistoryEntry) {
            round = entry.round
            damage = entry.damage
            health = entry.healthLeft
            phase = entry.phase
            parties = entry.parties
        }
    }

    let rounds: [Round]
    /// The value of `after` for the next page; nil if this is currently the last page.
    let next: Int?

    /// Reads the page that the query's `after` and `limit` select, and returns the response.
    static func response<Caller>(to request: APIRequest<Caller>, from store: GameStore) async throws -> Response {
        // The first round is 0.
        let after = try request.number("after", in: 0...Int(Int32.max), default: -1)
        let limit = try request.number("limit", in: 1...maxLimit, default: defaultLimit)
        let id = try await store.requiredRaid(try request.raidID).id
        // One more round than the page holds shows whether there is a next page.
        let found = try await store.raidHistory(of: id, after: after, limit: limit + 1)
        let rounds = found.prefix(limit).map(Round.init)
        return try Response(json: Self(rounds: rounds, next: found.count > limit ? rounds.last?.round : nil))
    }
}

/// A party in a raid's ranking.
struct RaidRankingEntryView: Encodable {
    let place: Int
    let partyID: PartyID
    /// The party's name; nil for players, and for a party that was disbanded.
    let name: String?
    let damage: Int

    init(_ entry: RaidRankingEntry, name: String?) {
        self.name = name
        place = entry.place
        partyID = entry.partyID
        damage = entry.damage
    }
}
