public import Encodings
public import GameCore

/// What an ended adventure brought a player.
public struct Award: Hashable, Sendable {
    /// The adventure; the party's identifier for experience that a member had before progress belonged to players.
    public let adventureID: AdventureID
    /// The player.
    public let playerID: PlayerID
    /// The party.
    public let partyID: PartyID
    /// The kind of the adventure; nil for experience that a member had before progress belonged to players.
    public let kind: AdventureKind?
    /// The region of a journey, or the boss of a fight.
    public let scene: String
    /// The outcome; nil without a kind.
    public let outcome: AdventureOutcome?
    /// The player's hero.
    public let hero: HeroID
    /// The experience that the hero gained, 0 or more.
    public let experience: Int
    /// The experience of the hero at the end.
    public let reachedExperience: Int
    /// The number of bosses defeated, 0 or 1.
    public let bosses: Int
    /// When the adventure started.
    public let startedAt: Timestamp
    /// When it ended.
    public let endedAt: Timestamp

    /// Creates an award.
    public init(
        adventureID: AdventureID,
        playerID: PlayerID,
        partyID: PartyID,
        kind: AdventureKind?,
        scene: String,
        outcome: AdventureOutcome?,
        hero: HeroID,
        experience: Int,
        reachedExperience: Int,
        bosses: Int,
        startedAt: Timestamp,
        endedAt: Timestamp
    ) {
        self.adventureID = adventureID
        self.playerID = playerID
        self.partyID = partyID
        self.kind = kind
        self.scene = scene
        self.outcome = outcome
        self.hero = hero
        self.experience = experience
        self.reachedExperience = reachedExperience
        self.bosses = bosses
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// What a player has made of all adventures.
public struct PlayerProgress: Hashable, Sendable {
    /// The experience of the player's heroes.
    public var experience: Int
    /// The number of bosses that were defeated in the player's fights.
    public var bossesDefeated: Int

    /// Creates the progress, by default of a new player.
    public init(experience: Int = 0, bossesDefeated: Int = 0) {
        self.experience = experience
        self.bossesDefeated = bossesDefeated
    }
}

/// A season or week of a leaderboard.
public struct LeaderboardEdition: Hashable, Sendable {
    /// The board.
    public let board: Leaderboard
    /// The kind of period.
    public let period: LeaderboardPeriod
    /// When the period ends, which tells it from others of its kind.
    public let endsAt: Timestamp

    /// Creates an edition from its stored fields.
    public init(board: Leaderboard, period: LeaderboardPeriod, endsAt: Timestamp) {
        self.board = board
        self.period = period
        self.endsAt = endsAt
    }

    /// Creates the edition that contains a moment.
    public init(board: Leaderboard, period: LeaderboardPeriod, containing moment: Timestamp) {
        self.init(board: board, period: period, endsAt: period.interval(containing: moment).upperBound)
    }
}

/// What awards change: the progress of their players, the players' scores, and the numbers of players by score.
package struct ProgressChange: Sendable {
    /// A player's place in an edition.
    package struct ScoreKey: Hashable, Sendable {
        package let playerID: PlayerID
        package let edition: LeaderboardEdition

        package init(playerID: PlayerID, edition: LeaderboardEdition) {
            self.playerID = playerID
            self.edition = edition
        }
    }

    /// A bucket of an edition, see ``ScoreHistogram``.
    package struct BucketKey: Hashable, Sendable {
        package let edition: LeaderboardEdition
        package let bucket: Int

        package init(edition: LeaderboardEdition, bucket: Int) {
            self.edition = edition
            self.bucket = bucket
        }
    }

    /// The changed progress.
    package private(set) var players: [PlayerID: PlayerProgress] = [:]
    /// The changed scores.
    package private(set) var scores: [ScoreKey: Int] = [:]
    /// By how many players the buckets change.
    package private(set) var buckets: [BucketKey: Int] = [:]

    /// Adds awards that were not applied before.
    /// - Parameters:
    ///   - awards: the awards, of the given players only.
    ///   - players: the players' progress before.
    ///   - before: the players' scores before.
    package init(adding awards: [Award], to players: [PlayerID: PlayerProgress], scores before: [ScoreKey: Int]) {
        for award in awards {
            var progress = self.players[award.playerID] ?? players[award.playerID] ?? PlayerProgress()
            progress.experience = min(progress.experience + award.experience, Hero.maxCount)
            progress.bossesDefeated += award.bosses
            self.players[award.playerID] = progress
            // When the experience of earlier adventures was gained is unknown.
            guard award.kind != nil else { continue }
            for (board, gain) in [(Leaderboard.experience, award.experience), (.bosses, award.bosses)] where gain > 0 {
                for period in LeaderboardPeriod.allCases {
                    let edition = LeaderboardEdition(board: board, period: period, containing: award.endedAt)
                    let key = ScoreKey(playerID: award.playerID, edition: edition)
                    let score = scores[key] ?? before[key] ?? 0
                    scores[key] = min(score + gain, Hero.maxCount)
                }
            }
        }
        for (key, score) in scores {
            if let former = before[key] { count(-1, former, key.edition) }
            count(1, score, key.edition)
        }
        buckets = buckets.filter { $0.value != 0 }
    }

    /// Returns the players with another level or score than before, which their widgets show.
    package func shown(since before: [PlayerID: PlayerProgress]) -> Set<PlayerID> {
        func level(_ progress: PlayerProgress?) -> Int { Hero.level(forExperience: progress?.experience ?? 0) }
        let risen = players.filter { level($0.value) != level(before[$0.key]) }
        return Set(risen.keys).union(scores.keys.map(\.playerID))
    }

    /// Removes scores, of a player who is erased.
    package init(removing scores: [(edition: LeaderboardEdition, score: Int)]) {
        for (edition, score) in scores { count(-1, score, edition) }
    }

    private mutating func count(_ change: Int, _ score: Int, _ edition: LeaderboardEdition) {
        buckets[BucketKey(edition: edition, bucket: ScoreHistogram.bucket(of: score)), default: 0] += change
    }
}
