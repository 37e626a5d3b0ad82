public import Encodings
import GameCore

/// How many pushes of priority 10 one phone may still get; it refills with time.
///
/// The budget is the phone's, whatever cards it shows: whoever drives several cadences of one phone lends all of them
/// the same one. Kept as time: a push is worth ``refill``, so that whole numbers hold and nothing drifts.
public struct PhoneBudget: Sendable {
    private let capacity: Int
    private let refill: Int64
    /// In microseconds; what has been saved up to ``asOf``.
    private var credit: Int64
    private var asOf: Timestamp?

    /// The budget of a phone.
    /// - Parameters:
    ///   - pace: its numbers.
    ///   - lastPush: when the phone was pushed last by somebody who did not say what was left then: no more than the
    ///     reserve of alerts is assumed.
    public init(_ pace: CadencePolicy.Pace, lastPush: Timestamp? = nil) {
        precondition(pace.highCapacity > CadencePolicy.personalReserve, "no push is left for a companion who is down")
        precondition(pace.alertReserve >= CadencePolicy.personalReserve, "what is kept for alerts includes the end's")
        self.init(
            capacity: pace.highCapacity,
            refill: pace.highRefill,
            holding: lastPush == nil ? nil : pace.alertReserve,
            at: lastPush
        )
    }

    /// A budget that holds `pushes` at a moment, or is full from the first time on that it is asked.
    init(capacity: Int, refill: Duration, holding pushes: Int? = nil, at moment: Timestamp? = nil) {
        self.capacity = capacity
        self.refill = refill.wholeMicroseconds
        self.credit = Int64(min(pushes ?? capacity, capacity)) * self.refill
        self.asOf = moment
    }

    /// Whether nothing is missing, so that it says no more than a new one would.
    public func isFull(at now: Timestamp) -> Bool {
        var budget = self
        return budget.allows(keeping: capacity - 1, at: now)
    }

    /// Whether a push can be taken such that so many are left.
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
        precondition(credit >= refill, "a push was taken that was not there")
        credit -= refill
    }

    /// Puts back a push that never reached the phone.
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
