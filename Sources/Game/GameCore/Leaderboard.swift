public import Encodings

/// What the players of a leaderboard are compared by.
public enum Leaderboard: String, Codable, Hashable, Sendable, CaseIterable {
    /// The experience that a player's heroes gained in the period.
    case experience
    /// The bosses that were defeated in the period in a player's fights.
    case bosses

    /// The number of players at the top whose ranks are exact.
    public static let topCount = 100
    /// The number of players shown above a player, and below.
    public static let neighbourCount = 5
}

/// The period of a leaderboard, in UTC.
public enum LeaderboardPeriod: String, Codable, Hashable, Sendable, CaseIterable {
    /// A quarter of a year.
    case season
    /// A week, from Monday on.
    case week

    /// Returns the season or week that contains a moment.
    public func interval(containing moment: Timestamp) -> Range<Timestamp> {
        let day = moment.epochSeconds.floorDivided(by: Self.secondsPerDay).quotient
        let days: Range<Int64>
        switch self {
        case .season:
            let date = CivilDate(daysSince1970: day)
            let first = (date.month - 1) / 3 * 3 + 1
            days =
                Self.firstDay(
                    ofMonth: first,
                    in: date.year
                )..<(first == 10
                ? Self.firstDay(ofMonth: 1, in: date.year + 1) : Self.firstDay(ofMonth: first + 3, in: date.year))
        case .week:
            // January 1, 1970, was a Thursday.
            let monday = day - (day + 3).floorDivided(by: 7).remainder
            days = monday..<(monday + 7)
        }
        return Timestamp(
            epochSeconds: days.lowerBound * Self.secondsPerDay
        )..<Timestamp(epochSeconds: days.upperBound * Self.secondsPerDay)
    }

    private static let secondsPerDay: Int64 = 86_400

    private static func firstDay(ofMonth month: Int64, in year: Int64) -> Int64 {
        guard let date = CivilDate(year: year, month: month, day: 1) else {
            preconditionFailure("there is no month \(month)")
        }
        return date.daysSince1970
    }
}

/// How many players have which scores, from which ranks follow without a look at each player.
///
/// Scores below 16 have a bucket each; from there, each doubling has eight. A rank is exact for a score with a bucket of its
/// own. In a wider one, the players count as spread evenly over its scores, so that the rank is off by less than the number of
/// players in the bucket, and better scores have better ranks.
public struct ScoreHistogram: Hashable, Sendable {
    /// The number of players by bucket.
    private let players: [Int: Int]

    /// Creates a histogram from the number of players by bucket.
    public init(_ players: [Int: Int]) { self.players = players }

    /// Returns the bucket of a score, which must not be negative.
    public static func bucket(of score: Int) -> Int {
        guard score >= 16 else { return score }
        let exponent = Int.bitWidth - 1 - score.leadingZeroBitCount
        return 8 * (exponent - 3) + (score >> (exponent - 3))
    }

    /// Returns the rank of a score: 1 if no player has a better one.
    public func rank(of score: Int) -> Int {
        let bucket = Self.bucket(of: score)
        let better = players.reduce(0) { $1.key > bucket ? $0 + $1.value : $0 }
        let (end, width) = Self.range(of: bucket)
        return 1 + better + (players[bucket] ?? 0) * (end - 1 - score) / width
    }

    /// Returns the first score above a bucket, and the number of scores in it.
    private static func range(of bucket: Int) -> (end: Int, width: Int) {
        guard bucket >= 16 else { return (bucket + 1, 1) }
        let shift = bucket / 8 - 1
        return ((bucket % 8 + 9) << shift, 1 << shift)
    }
}
