public import Encodings
import GameCore
import PushRules

// The effects of a push's disposition: events are acknowledged, or become pending again.

extension ActivityCadence {
    /// Processes the disposition of the push in flight.
    ///
    /// Calling this when no push is in flight is a programming error.
    /// - Parameters:
    ///   - disposition: the disposition of the push.
    ///   - now: the time.
    ///   - budget: the budget of the phone, which is refunded for a push that did not reach the phone.
    public mutating func completed(
        _ disposition: PushDisposition,
        at now: Timestamp,
        refunding budget: inout DeviceBudget
    ) {
        guard case .inFlight(let boxed, let pending) = delivery else {
            preconditionFailure("a push completed, and none is in flight")
        }
        let push = boxed.push
        delivery = .ready(pending: pending)
        if disposition.neverReachedPhone, push.planned.priority == .high { budget.refund() }
        // The phone may never receive pushes to its older token, and the disposition says nothing about the new token:
        // everything is pending for the new token, including `end`.
        if push.tokenGeneration != tokenGeneration {
            if disposition == .accepted { noteAccepted(push.alerts) } else { restore(push, at: now) }
            return
        }
        switch disposition {
        case .accepted:
            accept(push)
        case .retryLater(let delay), .unanswered(let delay):
            restore(push, at: now)
            notBefore = now + delay
        case .rejected:
            reject(push, at: now)
        case .tokenDead:
            restore(push, at: now)
            delivery = .tokenDead
        }
    }

    private mutating func accept(_ push: InFlightPush) {
        shownUntil = max(shownUntil, push.shownUntil)
        if push.planned.notice == .endsSoon { ageWarning = .shown }
        for alert in push.alerts where alert.alert.kind.announcesOutcome { announced(alert) }
        if push.isEnd {
            life = .ended
        } else if let pending, pending.lastAt <= shownUntil, pending.requestedAt == nil {
            delivery = .ready(pending: nil)
        }
        noteAccepted(push.alerts)
    }

    /// Notes alerts, and forgets all those that are acknowledged by now.
    private mutating func noteAccepted(_ alerts: [PendingAlert]) {
        acceptedAlerts += alerts.map(\.accepted)
        guard !acceptedAlerts.isEmpty else { return }
        let acknowledgedAt = acknowledgedAt
        acceptedAlerts.removeAll { $0.moment <= acknowledgedAt }
    }

    private mutating func announced(_ alert: PendingAlert) {
        switch life {
        case .live:
            life = .live(isOutcomeAnnounced: true)
        case .ending(moment: alert.moment, .adventureOver, _):
            life = .announced(moment: alert.moment)
        case .ending(let moment, let reason, _):
            life = .ending(moment: moment, reason, isOutcomeAnnounced: true)
        case .announced, .ended:
            break
        }
    }

    /// Makes everything that a push carried pending again.
    private mutating func restore(_ push: InFlightPush, at now: Timestamp) {
        if let state = push.pending { addPending(state) }
        // In reverse order, since each alert goes to the front of the queue.
        for alert in push.alerts.reversed() {
            if let reason = alert.cancellation {
                record([alert.dropped(because: reason, at: now)])
            } else {
                record(alerts.requeue(alert, at: now))
            }
        }
    }

    private mutating func reject(_ push: InFlightPush, at now: Timestamp) {
        // Another push with this notice would be rejected again.
        if push.planned.notice == .endsSoon { ageWarning = .shown }
        if push.isEnd {
            life = .ended
            record([Drop(subject: .end, changeAt: push.planned.changeAt, moment: now, reason: .rejected)])
        } else if !push.alerts.isEmpty {
            // APNs may object to the alert only, so the state is tried without it.
            record(push.alerts.map { $0.dropped(because: .rejected, at: now) })
            if let state = push.pending { addPending(state) }
        } else {
            record([Drop(subject: .state, changeAt: push.planned.changeAt, moment: now, reason: .rejected)])
        }
    }
}
