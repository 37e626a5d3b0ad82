import Encodings

/// A token bucket, stored as the moment at which it will be full.
///
/// It is the generic cell rate algorithm (ITU-T I.371, annex A): each accepted request moves that moment later by the
/// time in which the bucket gains one request. A request is rejected, without a penalty, if it would move the moment
/// further ahead than an empty bucket takes to fill. A full bucket equals a new one, so full buckets can be discarded.
struct TokenBucket: Equatable {
    /// The decision on a request, with the state of the bucket afterwards.
    struct Verdict: Equatable {
        /// Whether the request is accepted.
        let isAccepted: Bool
        /// The burst size of the limit.
        let limit: Int
        /// The number of further requests that would be accepted now.
        let remaining: Int
        /// The time until the bucket is full, in seconds, rounded up.
        let resetSeconds: Int
        /// The time until the next request would be accepted, in seconds, rounded up; zero if it would be now.
        let retryAfterSeconds: Int
    }

    /// The moment at which the bucket will be full, in nanoseconds on the caller's clock.
    private(set) var fullAt: Int64 = .min

    /// Takes one request from the bucket if it has one.
    /// - Parameters:
    ///   - limit: the limit of the bucket, the same for each call.
    ///   - now: the time. After a step backwards of the clock, the bucket counts as empty at worst.
    /// - Returns: the decision.
    mutating func take(_ limit: RateLimit, at now: Timestamp) -> Verdict {
        let (share, whole) = (limit.nanosecondsPerRequest, limit.nanosecondsToFill)
        let now = now.microseconds * 1_000
        fullAt = min(max(fullAt, now), now + whole)
        let missing = fullAt - now
        let isAccepted = missing + share <= whole
        if isAccepted { fullAt += share }
        let left = whole - (fullAt - now)
        return Verdict(
            isAccepted: isAccepted,
            limit: limit.burst,
            remaining: Int(left / share),
            resetSeconds: Self.seconds(fullAt - now),
            retryAfterSeconds: left >= share ? 0 : Self.seconds(share - left)
        )
    }

    /// Undoes the effect of one accepted request on the bucket.
    mutating func refund(_ limit: RateLimit) {
        // No request was taken from an unused bucket.
        guard fullAt > .min + limit.nanosecondsPerRequest else { return }
        fullAt -= limit.nanosecondsPerRequest
    }

    private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}

extension TokenBucket.Verdict {
    /// Returns the verdict with fewer remaining requests; of equal ones, the one with the later reset.
    static func tighter(_ one: Self, _ other: Self) -> Self {
        (one.remaining, other.resetSeconds) <= (other.remaining, one.resetSeconds) ? one : other
    }
}
