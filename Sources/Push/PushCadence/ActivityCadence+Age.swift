public import Encodings
import GameCore
import PushRules

// The maximum age of a Live Activity, which the system sets.

extension ActivityCadence {
    /// Returns whether the activity has reached the age at which it warns that it ends soon.
    public func isNearMaxAge(at now: Timestamp) -> Bool { now >= startedAt + policy.warnsAtAge }

    /// The next time at which the age of the activity may require a push; nil if the activity is ending or has ended.
    public var nextAgeCheckAt: Timestamp? {
        switch life {
        case .live: ageWarning != .notDue ? startedAt + policy.endsAtAge : startedAt + policy.warnsAtAge
        case .ending, .announced, .ended: nil
        }
    }

    /// Makes the age warning pending when it is due, and ends the activity before the system does.
    mutating func checkAge(at now: Timestamp) {
        guard isLive, isNearMaxAge(at: now) else { return }
        if now >= startedAt + policy.endsAtAge {
            end(because: .tooOld, moment: observedUntil, at: now)
            return
        }
        if ageWarning == .notDue { ageWarning = .pending }
        if ageWarning == .pending, pending == nil {
            addPending(PushOccasion.endsSoon.urgency, moment: acknowledgedAt.next)
        }
    }
}
