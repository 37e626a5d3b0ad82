public import Encodings
import GameCore

/// The number of pushes of priority 10 that one phone may still receive: a token bucket that refills with time.
///
/// The budget belongs to the phone and not to an activity: all cadences of one phone share it. It is stored as a
/// duration, with one refill interval for each push, so the arithmetic is in integers and does not drift.
public struct DeviceBudget: Sendable {
    private let capacity: Int
    /// The refill interval, in microseconds.
    private let refill: Int64
    /// The credit at ``asOf``, in microseconds.
    private var credit: Int64
    private var asOf: Timestamp?

    /// Creates the budget of a phone.
    /// - Parameters:
    ///   - pace: the capacity and the refill interval.
    ///   - lastPush: the last push that a sender with an unknown budget sent to the phone; the budget is then assumed
    ///     to hold no more than the reserve of alerts. Nil for a full budget.
    public init(_ pace: CadencePolicy.Pace, lastPush: Timestamp? = nil) {
        precondition(
            pace.highCapacity > CadencePolicy.personalReserve,
            "highCapacity must be larger than personalReserve, or alerts of companions are never sent"
        )
        precondition(
            pace.alertReserve >= CadencePolicy.personalReserve,
            "alertReserve includes personalReserve and must not be smaller"
        )
        self.init(
            capacity: pace.highCapacity,
            refill: pace.highRefill,
            holding: lastPush == nil ? nil : pace.alertReserve,
            at: lastPush
        )
    }

    /// Creates a budget that holds `pushes` pushes at `moment`; by default it is full.
    init(capacity: Int, refill: Duration, holding pushes: Int? = nil, at moment: Timestamp? = nil) {
        self.capacity = capacity
        self.refill = refill.wholeMicroseconds
        self.credit = Int64(min(pushes ?? capacity, capacity)) * self.refill
        self.asOf = moment
    }

    /// Returns whether the budget is full and therefore equals a new one.
    public func isFull(at now: Timestamp) -> Bool {
        var budget = self
        return budget.allows(keeping: capacity - 1, at: now)
    }

    /// Returns whether one push can be spent so that `reserve` pushes are left.
    mutating func allows(keeping reserve: Int, at now: Timestamp) -> Bool {
        update(to: now)
        return credit >= Int64(reserve + 1) * refill
    }

    /// Returns the next time at which ``allows(keeping:at:)`` is true; `now` if it is true already.
    mutating func nextAllowed(keeping reserve: Int, at now: Timestamp) -> Timestamp {
        update(to: now)
        return now + .microseconds(max(0, Int64(reserve + 1) * refill - credit))
    }

    mutating func spend() {
        precondition(credit >= refill, "a push was spent from an empty budget")
        credit -= refill
    }

    /// Puts back a push that never reached the phone.
    mutating func refund() {
        credit = min(credit + refill, Int64(capacity) * refill)
    }

    /// Adds the credit of the time that passed; a clock that was set back adds nothing.
    private mutating func update(to now: Timestamp) {
        let elapsed = asOf.map { max(0, (now - $0).wholeMicroseconds) } ?? 0
        credit = min(credit + elapsed, Int64(capacity) * refill)
        asOf = now
    }
}
