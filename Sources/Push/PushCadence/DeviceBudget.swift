public import Encodings
import GameCore

/// The number of pushes of priority 10 that one phone may still receive: a token bucket that refills with time.
///
/// The budget belongs to the phone and not to an activity: all cadences of one phone share it. Its whole state is one
/// moment, which is stored and loaded by the next holder of the lease: each push moves it by one refill interval.
public struct DeviceBudget: Sendable {
    private let capacity: Int
    /// The refill interval, in microseconds.
    private let refill: Int64
    /// When the budget is full again; earlier than now if it is full.
    public private(set) var fullAt: Timestamp

    /// Creates the budget of a phone.
    /// - Parameters:
    ///   - pace: the capacity and the refill interval.
    ///   - fullAt: when it is full again; nil for a full budget.
    public init(_ pace: CadencePolicy.Pace, fullAt: Timestamp? = nil) {
        precondition(
            pace.highCapacity > CadencePolicy.personalReserve,
            "highCapacity must be larger than personalReserve, or alerts of companions are never sent"
        )
        precondition(
            pace.alertReserve >= CadencePolicy.personalReserve,
            "alertReserve includes personalReserve and must not be smaller"
        )
        self.init(capacity: pace.highCapacity, refill: pace.highRefill, fullAt: fullAt)
    }

    init(capacity: Int, refill: Duration, fullAt: Timestamp? = nil) {
        self.capacity = capacity
        self.refill = refill.wholeMicroseconds
        self.fullAt = fullAt ?? Timestamp(epochSeconds: 0)
    }

    /// Returns whether the budget is full and therefore equals a new one.
    public func isFull(at now: Timestamp) -> Bool { fullAt <= now }

    /// Takes over the spending that another record of the same budget knows.
    public mutating func merge(fullAt other: Timestamp?) { fullAt = max(fullAt, other ?? fullAt) }

    /// Spends what may have been sent without a record, as far as the budget lasts.
    /// - Parameters:
    ///   - pushes: the number of pushes.
    ///   - now: the time.
    public mutating func assumeSpent(_ pushes: Int, at now: Timestamp) {
        fullAt = now + .microseconds(min(missing(at: now) + Int64(pushes) * refill, Int64(capacity) * refill))
    }

    /// Spends everything but a reserve, since an unknown number of pushes may have been sent that leave it.
    public mutating func assumeSpent(exceptFor reserve: Int, at now: Timestamp) {
        fullAt = now + .microseconds(max(missing(at: now), Int64(capacity - reserve) * refill))
    }

    /// Returns whether one push can be spent so that `reserve` pushes are left.
    func allows(keeping reserve: Int, at now: Timestamp) -> Bool { nextAllowed(keeping: reserve, at: now) <= now }

    /// Returns the next time at which ``allows(keeping:at:)`` is true; `now` if it is true already.
    func nextAllowed(keeping reserve: Int, at now: Timestamp) -> Timestamp {
        now + .microseconds(max(0, missing(at: now) - Int64(capacity - reserve - 1) * refill))
    }

    mutating func spend(at now: Timestamp) {
        precondition(allows(keeping: 0, at: now), "a push was spent from an empty budget")
        assumeSpent(1, at: now)
    }

    /// Puts back a push that never reached the phone.
    mutating func refund() { fullAt = fullAt - .microseconds(refill) }

    /// The time that the budget needs until it is full, in microseconds; at most that of an empty one, even if the clock
    /// was set back.
    private func missing(at now: Timestamp) -> Int64 {
        min(max(0, (fullAt - now).wholeMicroseconds), Int64(capacity) * refill)
    }
}
