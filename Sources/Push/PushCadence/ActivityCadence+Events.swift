public import Encodings
import GameCore
public import PushRules

// The events and requests that make pushes to a Live Activity pending.

extension ActivityCadence {
    /// Observes an event of the activity's adventure.
    ///
    /// Each event is observed once, in order, unless it is acknowledged. An event before the newest position that was
    /// observed is ignored.
    /// - Parameters:
    ///   - rule: the requirements of the event for this phone.
    ///   - position: its position.
    ///   - now: the time.
    public mutating func observe(_ rule: PushRule, position: Int64, at now: Timestamp) {
        guard position >= observedPosition else { return }
        observedPosition = position
        guard isLive else { return }
        freshness = rule.freshness ?? freshness
        apply(rule, position: position, at: now)
        if rule.endsActivity {
            adventureEnded(position: position, at: now)
        }
    }

    /// Makes the current state pending at once, since the activity has a new token or registered its first one.
    /// - Parameters:
    ///   - position: the position of the registration.
    ///   - now: the time.
    public mutating func currentStateRequired(position: Int64, at now: Timestamp) {
        // Not below the acknowledged position: acknowledged events must not become pending again.
        let pendingPosition = max(position, acknowledgedPosition + 1)
        let wasTokenDead = isTokenDead
        if wasTokenDead {
            delivery = .ready(pending: nil)
            alerts.moveToNewToken(registeredAt: pendingPosition)
        }
        switch life {
        case .live:
            addPending(.high, position: pendingPosition)
        case .ending(_, let reason, let isOutcomeAnnounced) where wasTokenDead:
            life = .ending(position: pendingPosition, reason, isOutcomeAnnounced: isOutcomeAnnounced)
        case .announced where wasTokenDead:
            // The registration comes later than the end, so a successor does not observe the end again.
            life = .ending(position: pendingPosition, .adventureOver, isOutcomeAnnounced: true)
        case .ending, .announced, .ended:
            break
        }
        observedPosition = max(observedPosition, position)
        tokenGeneration += 1
    }

    /// Makes the current state pending, since it changed without an event.
    /// - Parameters:
    ///   - urgency: the urgency of the change.
    ///   - position: the position of the change.
    public mutating func stateChanged(_ urgency: Urgency, position: Int64) {
        observedPosition = max(observedPosition, position)
        guard isLive else { return }
        let pendingPosition = max(position, acknowledgedPosition + 1)
        addPending(
            PendingState(firstPosition: pendingPosition, lastPosition: pendingPosition, urgency: urgency, events: 0)
        )
    }

    /// Makes the current state pending at once, since an operator requests a push.
    ///
    /// An activity that is ending, or whose token is dead, ignores the request.
    /// - Parameters:
    ///   - position: the position of the request.
    ///   - now: the time.
    public mutating func pushRequested(position: Int64, at now: Timestamp) {
        observedPosition = max(observedPosition, position)
        guard isLive, !isTokenDead else { return }
        let pendingPosition = max(position, acknowledgedPosition + 1)
        addPending(
            PendingState(
                firstPosition: pendingPosition,
                lastPosition: pendingPosition,
                urgency: .high,
                events: 0,
                requestPosition: pendingPosition
            )
        )
    }

    /// Makes `end` with the current state pending, since an operator requests it.
    /// - Parameters:
    ///   - position: the position of the request.
    ///   - now: the time.
    public mutating func endRequested(position: Int64, at now: Timestamp) {
        end(because: .requested, position: position, at: now)
    }

    /// Makes `end` with the final state pending, since the adventure is over for this phone.
    ///
    /// Alerts that announce the outcome go out before `end`, as updates; the others are cancelled.
    /// ``observe(_:position:at:)`` does this by itself for a rule that ends the activity.
    /// - Parameters:
    ///   - position: the position of the event that ended it.
    ///   - now: the time.
    public mutating func adventureEnded(position: Int64, at now: Timestamp) {
        end(because: .adventureOver, position: position, at: now)
    }

    /// Makes `end` pending, without an alert, since APNs accepted the alert of an adventure's end from a predecessor of
    /// this cadence; see ``resumePosition``.
    /// - Parameter position: the position of the end.
    public mutating func endAnnounced(position: Int64) {
        guard isLive else { return }
        life = .announced(position: position)
        observedPosition = max(observedPosition, position)
    }

    /// Makes `end` pending, since a newer activity of the same adventure replaces this one, which leaves the Lock
    /// Screen at once.
    /// - Parameters:
    ///   - position: the position of the newer activity's registration.
    ///   - now: the time.
    public mutating func replaced(position: Int64, at now: Timestamp) {
        end(because: .replaced, position: position, at: now)
    }

    mutating func end(because reason: EndReason, position: Int64, at now: Timestamp) {
        guard case .live(let isOutcomeAnnounced) = life else { return }
        life = .ending(
            position: max(position, acknowledgedPosition + 1),
            reason,
            isOutcomeAnnounced: isOutcomeAnnounced
        )
        observedPosition = max(observedPosition, position)
        cancelAlerts(because: .cancelledByEnd, at: now) { !$0.announcesOutcome || reason != .adventureOver }
    }

    /// Makes the state and the alert that a rule requires pending; while the token is dead only the alert, since the
    /// next token requires the current state anyway.
    private mutating func apply(_ rule: PushRule, position: Int64, at now: Timestamp) {
        if position > shownPosition {
            // An event of high urgency has an alert or ends the activity, and either push shows the state at once. If
            // the alert is cancelled, the state alone is less urgent.
            addPending(min(rule.urgency, .turn), position: position)
        }
        cancelAlerts(because: .cancelledByEvent, at: now) { rule.cancels.contains($0) }
        if let alert = rule.alert {
            let pending = PendingAlert(
                alert: alert,
                position: position,
                expires: now + policy.alertExpiry,
                pendingPosition: position
            )
            record(alerts.append(pending, at: now))
        }
    }

    private mutating func cancelAlerts(
        because reason: Drop.Reason,
        at now: Timestamp,
        where isCancelled: (AlertKind) -> Bool
    ) {
        record(alerts.remove(because: reason, at: now) { isCancelled($0.alert.kind) })
        cancelAlertsInFlight(because: reason, where: isCancelled)
    }
}
