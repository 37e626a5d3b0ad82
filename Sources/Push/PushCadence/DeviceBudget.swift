public import Encodings
import GameCore

/// The number of pushes of priority 10 that one device may still receive: a token bucket that refills with time.
///
/// The budget belongs to the device and not to an activity: all cadences of one device share it. Its whole state is one
/// moment, which is stored and loaded by the next holder of the lease: each push moves it by one refill interval.
public struct DeviceBudget: Sendable {
    private var capacity: Int
    /// The refill interval, in microseconds.
    private var refill: Int64
    /// When the budget is full again; earlier than now if it is full.
    public private(set) var fullAt: Timestamp

    /// Creates the budget of a device.
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
    ///
    /// A record of a slower pace empties the budget at most.
    /// - Parameters:
    ///   - other: when the budget is full again according to that record; nil for a full budget.
    ///   - now: the time.
    public mutating func merge(fullAt other: Timestamp?, at now: Timestamp) {
        guard let other, other > fullAt else { return }
        fullAt = max(fullAt, min(other, now + .microseconds(Int64(capacity) * refill)))
    }

    /// Changes the capacity and the refill interval; the pushes that are spent stay spent.
    public mutating func change(to pace: CadencePolicy.Pace, at now: Timestamp) {
        let spent = Double(missing(at: now)) / Double(refill)
        (capacity, refill) = (pace.highCapacity, pace.highRefill.wholeMicroseconds)
        fullAt = now + .microseconds(Int64((min(spent, Double(capacity)) * Double(refill)).rounded(.up)))
    }

    /// Spends what may have been sent without a record, as far as the budget lasts.
    ///
    /// An earlier holder of the lease sent a push only if the budget had a whole one. What has been refilled of the next one
    /// stays, so that a device gets pushes also while holders crash in a loop.
    /// - Parameters:
    ///   - pushes: the number of pushes.
    ///   - now: the time.
    public mutating func assumeSpent(_ pushes: Int, at now: Timestamp) {
        let missing = missing(at: now)
        let whole = (Int64(capacity) * refill - missing) / refill
        fullAt = now + .microseconds(missing + min(Int64(pushes), whole) * refill)
    }

    /// Spends the start of an activity, which the budget does not prevent.
    public mutating func spendStart(at now: Timestamp) {
        fullAt = now + .microseconds(min(missing(at: now) + refill, Int64(capacity) * refill))
    }

    /// Spends everything but a reserve, since an unknown number of pushes may have been sent that leave it.
    public mutating func assumeSpent(exceptFor reserve: Int, at now: Timestamp) {
        fullAt = now + .microseconds(max(missing(at: now), Int64(max(0, capacity - reserve)) * refill))
    }

    /// Returns whether one push can be spent so that `reserve` pushes are left.
    func allows(keeping reserve: Int, at now: Timestamp) -> Bool { nextAllowed(keeping: reserve, at: now) <= now }

    /// Returns the next time at which ``allows(keeping:at:)`` is true; `now` if it is true already.
    ///
    /// A full budget allows a push, whatever the reserve: that may be the reserve of a pace with a larger capacity.
    func nextAllowed(keeping reserve: Int, at now: Timestamp) -> Timestamp {
        now + .microseconds(max(0, missing(at: now) - Int64(max(0, capacity - reserve - 1)) * refill))
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
