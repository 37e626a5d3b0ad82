public import GameCore

/// A budget that refills with time: a token is one push of priority 10.
///
/// Kept as time: a token is worth ``refill``, so that whole numbers hold and nothing drifts.
public struct TokenBucket: Sendable {
    private let capacity: Int
    private let refill: Int64
    /// In microseconds; what has been saved up to ``asOf``.
    private var credit: Int64
    private var asOf: Timestamp?

    /// A bucket that holds `tokens` at a moment, or is full from the first time on that it is asked.
    init(capacity: Int, refill: Duration, holding tokens: Int? = nil, at moment: Timestamp? = nil) {
        self.capacity = capacity
        self.refill = refill.wholeMicroseconds
        self.credit = Int64(min(tokens ?? capacity, capacity)) * self.refill
        self.asOf = moment
    }

    /// Whether nothing is missing, so that it says no more than a new one would.
    public func isFull(at now: Timestamp) -> Bool {
        var bucket = self
        return bucket.allows(keeping: capacity - 1, at: now)
    }

    /// Whether a token can be taken such that so many are left.
    mutating func allows(keeping reserve: Int, at now: Timestamp) -> Bool {
        update(to: now)
        return credit >= Int64(reserve + 1) * refill
    }

    /// When ``allows(keeping:at:)`` is true next, `now` if it is.
    mutating func allowed(keeping reserve: Int, at now: Timestamp) -> Timestamp {
        update(to: now)
        return now + .microseconds(max(0, Int64(reserve + 1) * refill - credit))
    }

    mutating func take() {
        precondition(credit >= refill, "a token was taken that was not there")
        credit -= refill
    }

    /// Puts back a token whose push never reached the phone.
    mutating func giveBack() {
        credit = min(credit + refill, Int64(capacity) * refill)
    }

    /// A clock that goes backwards adds nothing.
    private mutating func update(to now: Timestamp) {
        let elapsed = asOf.map { max(0, (now - $0).wholeMicroseconds) } ?? 0
        credit = min(credit + elapsed, Int64(capacity) * refill)
        asOf = now
    }
}
