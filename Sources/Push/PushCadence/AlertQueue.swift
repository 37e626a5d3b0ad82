import Encodings
import GameCore
import PushRules

/// An alert that waits for its push.
struct PendingAlert: Sendable {
    let alert: PushAlert
    /// The event that asks for it.
    let position: Int64
    let expires: Timestamp
    /// From where on the log is not settled for its sake: its event, or the newer token that it is owed to.
    var owedSince: Int64
    /// Whether there was no budget for it when it could have gone.
    var waitsForBudget = false
    /// What has made it pointless while it was under way; it matters only if the push fails.
    var pointless: Drop.Reason?
}

/// The few alerts that wait for one phone, oldest first, no two of one kind.
///
/// Whatever leaves without having been sent leaves with a reason.
struct AlertQueue: Sendable {
    private var waiting: [PendingAlert] = []
    private let bound: Int

    init(bound: Int) {
        self.bound = bound
    }

    /// What goes next, in one push: the weightiest, of these the oldest, and companions who are down all together.
    var next: [PendingAlert] {
        guard let weight = waiting.map(\.alert.kind.weight).max() else { return [] }
        let candidates = waiting.filter { $0.alert.kind.weight == weight }
        return weight == .companion ? candidates : [candidates[0]]
    }

    var owedSince: Int64? { waiting.map(\.owedSince).min() }

    mutating func append(_ new: PendingAlert, at now: Timestamp) -> [Drop] {
        let replaced = remove(because: .replaced, at: now) { $0.alert.kind == new.alert.kind }
        waiting.append(new)
        return replaced + trim(at: now)
    }

    /// Puts an alert whose push failed back to its place.
    mutating func putBack(_ failed: PendingAlert, at now: Timestamp) -> [Drop] {
        guard !waiting.contains(where: { $0.alert.kind == failed.alert.kind }) else {
            return [failed.dropped(because: .replaced, at: now)]
        }
        waiting.insert(failed, at: 0)
        return trim(at: now)
    }

    /// Takes alerts out to send them.
    mutating func take(_ alerts: [PendingAlert]) {
        waiting.removeAll { waiting in alerts.contains { $0.position == waiting.position } }
    }

    /// What waits is owed to a new token, which the log tells of at a position.
    mutating func unsettle(from position: Int64) {
        for index in waiting.indices { waiting[index].owedSince = max(waiting[index].owedSince, position) }
    }

    /// Nothing can go until the budget has refilled.
    mutating func waitForBudget() {
        for index in waiting.indices { waiting[index].waitsForBudget = true }
    }

    mutating func expire(at now: Timestamp) -> [Drop] {
        remove(because: .expired, at: now) { $0.expires <= now }
    }

    mutating func remove(
        because reason: Drop.Reason,
        at now: Timestamp,
        where isPointless: (PendingAlert) -> Bool
    ) -> [Drop] {
        let drops = waiting.filter(isPointless).map { $0.dropped(because: reason, at: now) }
        waiting.removeAll(where: isPointless)
        return drops
    }

    /// The least weighty goes first, of these the oldest; what tells the end is kept even in a queue that is full.
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
        let reason = waitsForBudget && reason.isCancellation ? .outwaited : reason
        return Drop(subject: .alert(alert.kind), position: position, moment: now, reason: reason)
    }
}
