import Encodings
import GameCore

/// What somebody may still ask for, as the moment at which all of it will be there again.
///
/// The generic cell rate algorithm (ITU-T I.371, annex A): the bucket is full at a moment, and each request moves that on
/// by its share; who would have to move it further than a whole bucket ahead is refused, and has then lost nothing. A full
/// bucket is like one that was never used, so that whoever keeps many may forget it.
struct TokenBucket: Equatable {
    /// What became of a request.
    struct Verdict: Equatable {
        /// Whether it may pass.
        let passes: Bool
        /// How many may come at once after a while without any.
        let limit: Int
        /// How many more would pass at this moment.
        let remaining: Int
        /// In how many seconds the bucket is full again, rounded up.
        let resetSeconds: Int
        /// In how many seconds the next request would pass, rounded up; zero if one would now.
        let retryAfterSeconds: Int
    }

    /// When it is full, on the clock of whoever asks, in nanoseconds.
    private(set) var fullAt: Int64 = .min

    /// Takes one request's share out, if that much is in.
    /// - Parameters:
    ///   - limit: the bucket's measures; the same each time.
    ///   - now: should it run backwards, an empty bucket is empty at most.
    /// - Returns: whether it passes, and what is left.
    mutating func take(_ limit: RateLimit, at now: Timestamp) -> Verdict {
        let (share, whole) = (limit.nanosecondsPerRequest, limit.nanosecondsToFill)
        let now = now.microseconds * 1_000
        fullAt = min(max(fullAt, now), now + whole)
        let missing = fullAt - now
        let passes = missing + share <= whole
        if passes { fullAt += share }
        let left = whole - (fullAt - now)
        return Verdict(
            passes: passes,
            limit: limit.burst,
            remaining: Int(left / share),
            resetSeconds: Self.seconds(fullAt - now),
            retryAfterSeconds: left >= share ? 0 : Self.seconds(share - left)
        )
    }

    /// Puts back what a request took that passed, since it is not one that counts after all.
    mutating func giveBack(_ limit: RateLimit) {
        // Never used: there is nothing to put back.
        guard fullAt > .min + limit.nanosecondsPerRequest else { return }
        fullAt -= limit.nanosecondsPerRequest
    }

    private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}

extension TokenBucket.Verdict {
    /// The one that lets less through.
    static func tighter(_ one: Self, _ other: Self) -> Self {
        (one.remaining, other.resetSeconds) <= (other.remaining, one.resetSeconds) ? one : other
    }
}
