import Encodings
import GameCore
import PushRules

/// A push that awaits its outcome, with everything that becomes pending again if it fails.
struct InFlightPush: Sendable {
    let planned: PlannedPush
    /// The newest moment that its state shows.
    let shownUntil: Timestamp
    /// The state that was pending when it was sent.
    let pending: PendingState?
    /// The alerts that it carries.
    private(set) var alerts: [PendingAlert]
    /// The first moment for which something was pending when it was sent, and is pending again if it fails.
    let pendingSince: Timestamp?
    /// The generation of the token that it was sent to; an outcome for an older token says nothing about a newer one.
    let tokenGeneration: Int

    init(
        _ planned: PlannedPush,
        shownUntil: Timestamp,
        pending: PendingState?,
        alerts: [PendingAlert],
        tokenGeneration: Int
    ) {
        self.planned = planned
        self.shownUntil = shownUntil
        self.pending = pending
        self.alerts = alerts
        pendingSince = alerts.reduce(pending?.firstAt) { min($0 ?? $1.pendingSince, $1.pendingSince) }
        self.tokenGeneration = tokenGeneration
    }

    /// Marks alerts as cancelled for a reason, which matters only if the push fails.
    /// - Returns: whether any of its alerts is cancelled.
    mutating func cancelAlerts(because reason: Drop.Reason, where isCancelled: (AlertKind) -> Bool) -> Bool {
        var hasCancelled = false
        for index in alerts.indices where isCancelled(alerts[index].alert.kind) {
            alerts[index].cancellation = reason
            hasCancelled = true
        }
        return hasCancelled
    }

    var isEnd: Bool {
        switch planned.event {
        case .update: false
        case .end: true
        }
    }
}
