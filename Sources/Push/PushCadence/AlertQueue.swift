import Encodings
import GameCore
import PushRules

/// An alert that waits for its push.
struct PendingAlert: Sendable {
    let alert: PushAlert
    /// The moment of its event.
    let moment: Timestamp
    let expires: Timestamp
    /// The first moment for which the alert is pending, which bounds the acknowledged moment.
    ///
    /// It is the moment of the event, or that of the registration of a newer token.
    var pendingSince: Timestamp
    /// Whether the alert was delayed because the phone had no budget.
    var waitsForBudget = false
    /// The reason why the alert was cancelled while in flight, which matters only if the push fails.
    var cancellation: Drop.Reason?
}

/// The alerts that wait for one phone, oldest first, at most one of each kind.
///
/// Each alert that is removed without being sent is returned as a ``Drop`` with its reason.
struct AlertQueue: Sendable {
    private var waiting: [PendingAlert] = []
    private let bound: Int

    init(bound: Int) {
        self.bound = bound
    }

    /// The alerts that the next push carries: the oldest alert of the highest weight, or all alerts of companions who
    /// are down if none is weightier.
    var next: [PendingAlert] {
        guard let weight = waiting.map(\.alert.kind.weight).max() else { return [] }
        let candidates = waiting.filter { $0.alert.kind.weight == weight }
        return weight == .companion ? candidates : [candidates[0]]
    }

    /// The lowest ``PendingAlert/pendingSince``; nil when no alert waits.
    var pendingSince: Timestamp? { waiting.lazy.map(\.pendingSince).min() }

    /// Adds an alert, which replaces an older one of its kind.
    mutating func append(_ new: PendingAlert, at now: Timestamp) -> [Drop] {
        let replaced = remove(because: .replaced, at: now) { $0.alert.kind == new.alert.kind }
        waiting.append(new)
        return replaced + trim(at: now)
    }

    /// Puts an alert whose push failed back to the front.
    mutating func requeue(_ failed: PendingAlert, at now: Timestamp) -> [Drop] {
        guard !waiting.contains(where: { $0.alert.kind == failed.alert.kind }) else {
            return [failed.dropped(because: .replaced, at: now)]
        }
        waiting.insert(failed, at: 0)
        return trim(at: now)
    }

    /// Removes alerts that are being sent.
    mutating func remove(_ alerts: [PendingAlert]) {
        waiting.removeAll { waiting in alerts.contains { $0.alert.kind == waiting.alert.kind } }
    }

    /// Makes the waiting alerts pending from the moment at which a new token was registered.
    mutating func moveToNewToken(registeredAt moment: Timestamp) {
        for index in waiting.indices { waiting[index].pendingSince = max(waiting[index].pendingSince, moment) }
    }

    /// Marks all waiting alerts as delayed by the budget.
    mutating func waitForBudget() {
        for index in waiting.indices { waiting[index].waitsForBudget = true }
    }

    mutating func expire(at now: Timestamp) -> [Drop] {
        remove(because: .expired, at: now) { $0.expires <= now }
    }

    mutating func remove(
        because reason: Drop.Reason,
        at now: Timestamp,
        where isObsolete: (PendingAlert) -> Bool
    ) -> [Drop] {
        guard !waiting.isEmpty else { return [] }
        let drops = waiting.filter(isObsolete).map { $0.dropped(because: reason, at: now) }
        waiting.removeAll(where: isObsolete)
        return drops
    }

    /// Drops the oldest alert of the lowest weight if the queue is too long; never drops an alert of the outcome.
    private mutating func trim(at now: Timestamp) -> [Drop] {
        let lightest = waiting.map(\.alert.kind.weight).min()
        guard waiting.count > bound, lightest != .final,
            let index = waiting.firstIndex(where: { $0.alert.kind.weight == lightest })
        else { return [] }
        return [waiting.remove(at: index).dropped(because: .queueFull, at: now)]
    }
}

extension PendingAlert {
    func dropped(because reason: Drop.Reason, at now: Timestamp) -> Drop {
        let reason = waitsForBudget && reason.isCancellation ? .starved : reason
        return Drop(subject: .alert(alert.kind), changeAt: moment, moment: now, reason: reason)
    }
}
