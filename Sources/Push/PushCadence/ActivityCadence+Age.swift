public import Encodings
import GameCore
import PushRules

// A Live Activity comes near the end of its life, which the system sets.

extension ActivityCadence {
    /// Whether the card has come so near the end of its life that it says so.
    public func isOld(at now: Timestamp) -> Bool { now >= startedAt + policy.warnsAtAge }

    /// When to look at the activity again for its age alone; nil when its age changes nothing any more.
    public var growsOldAt: Timestamp? {
        switch life {
        case .live: ageWarning != .notDue ? startedAt + policy.endsAtAge : startedAt + policy.warnsAtAge
        case .ending, .ended: nil
        }
    }

    /// Warns that the card ends soon, and ends it before the system does.
    mutating func grow(older now: Timestamp) {
        guard isLive, isOld(at: now) else { return }
        if now >= startedAt + policy.endsAtAge {
            end(because: .tooOld, position: observedThrough, at: now)
            return
        }
        if ageWarning == .notDue { ageWarning = .owed }
        if ageWarning == .owed, owed == nil { oweState(.low, position: settledThrough + 1) }
    }
}
