public import Encodings

/// The rounds of a raid: round n begins n seconds after its start.
public struct RaidSchedule: Hashable, Sendable {
    /// The length of a round; the last one may be shorter.
    public static let roundLength = Duration.seconds(1)
    /// The longest time that operators may give a raid.
    public static let maxDuration = Duration.seconds(7 * 86_400)

    /// When the raid starts.
    public let startsAt: Timestamp
    /// When the raid ends if the boss is not defeated.
    public let endsAt: Timestamp

    /// Creates the schedule of a raid, which ends after it starts.
    public init(startsAt: Timestamp, endsAt: Timestamp) {
        precondition(startsAt < endsAt, "a raid ends after it starts")
        self.startsAt = startsAt
        self.endsAt = endsAt
    }

    /// Returns the round of a moment: the first round before the raid, and the one after the last round after it.
    public func round(at moment: Timestamp) -> Int {
        if moment < startsAt { return 0 }
        return moment < endsAt ? Int((moment - startsAt) / Self.roundLength) : lastRound + 1
    }

    /// Returns the beginning of a round.
    public func start(ofRound round: Int) -> Timestamp { startsAt + Self.roundLength * round }

    /// Returns the end of a round, which is not part of it.
    public func end(ofRound round: Int) -> Timestamp { min(start(ofRound: round + 1), endsAt) }

    /// The last round.
    public var lastRound: Int { Int((endsAt - startsAt - .microseconds(1)) / Self.roundLength) }
}

/// What the parties of a shard did in a round of a raid.
public struct RaidRound: Hashable, Sendable {
    /// The round.
    public let round: Int
    /// The damage of all blows in the round.
    public let damage: Int
    /// The number of fights that were live in the round.
    public let fights: Int
    /// The blow of the greatest damage, the first of equal ones; nil without blows.
    public let biggestBlow: RaidBlow?
    /// All blows of the round in order, if they are listed.
    public let blows: [RaidBlow]?

    /// Creates a round.
    public init(round: Int, damage: Int, fights: Int, biggestBlow: RaidBlow?, blows: [RaidBlow]?) {
        self.round = round
        self.damage = damage
        self.fights = fights
        self.biggestBlow = biggestBlow
        self.blows = blows
    }

    /// Creates a round from its blows.
    public init(round: Int, fights: Int, blows: [RaidBlow], listing: Bool) {
        self.init(
            round: round,
            damage: blows.reduce(0) { $0 + $1.damage },
            fights: fights,
            biggestBlow: RaidBlow.biggest(of: blows),
            blows: listing ? blows.sorted() : nil
        )
    }

    /// Creates a round from its stored form.
    /// - Throws: ``AdventureDecodingError`` if a blow is malformed.
    public init(
        round: Int,
        damage: Int,
        fights: Int,
        encodedBiggestBlow: String?,
        encodedBlows: String?
    ) throws(AdventureDecodingError) {
        var blows: [RaidBlow]?
        if let encodedBlows {
            blows = []
            for line in encodedBlows.split(separator: "\n") { blows?.append(try RaidBlow(encoded: line)) }
        }
        var biggestBlow: RaidBlow?
        if let encodedBiggestBlow { biggestBlow = try RaidBlow(encoded: encodedBiggestBlow) }
        self.init(round: round, damage: damage, fights: fights, biggestBlow: biggestBlow, blows: blows)
    }

    /// The stored form of the listed blows, a line each; nil if they are not listed.
    public var encodedBlows: String? { blows?.map(\.encoded).joined(separator: "\n") }
}

extension RaidBlow {
    /// Returns the blow of the greatest damage, the first of equal ones.
    static func biggest(of blows: some Sequence<Self>) -> Self? {
        blows.max { left, right in left.damage != right.damage ? left.damage < right.damage : left > right }
    }
}
