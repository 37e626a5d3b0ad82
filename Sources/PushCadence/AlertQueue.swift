import GameCore
import PushRules

/// An alert that waits for its push.
struct PendingAlert: Sendable {
    let alert: PushAlert
    /// The event that asks for it.
    let position: Int64
    let expires: Timestamp
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

    /// What goes next: what tells the end before everything, what is routine after everything, else the oldest.
    var next: PendingAlert? {
        waiting.first { $0.alert.kind.tellsTheEnd } ?? waiting.first { !$0.alert.kind.isRoutine } ?? waiting.first
    }

    var lowestPosition: Int64? { waiting.map(\.position).min() }

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

    /// Takes an alert out to send it.
    mutating func take(_ alert: PendingAlert) {
        waiting.removeAll { $0.position == alert.position }
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

    /// What is routine goes first; what tells the end is kept even in a queue that is full.
    private mutating func trim(at now: Timestamp) -> [Drop] {
        guard waiting.count > bound else { return [] }
        let index =
            waiting.firstIndex { $0.alert.kind.isRoutine } ?? waiting.firstIndex { !$0.alert.kind.tellsTheEnd }
        guard let index else { return [] }
        return [waiting.remove(at: index).dropped(because: .queueFull, at: now)]
    }
}

extension PendingAlert {
    func dropped(because reason: Drop.Reason, at now: Timestamp) -> Drop {
        Drop(subject: .alert(alert.kind), position: position, moment: now, reason: reason)
    }
}
