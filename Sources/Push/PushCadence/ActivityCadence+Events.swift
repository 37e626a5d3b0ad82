public import Encodings
import GameCore
public import PushRules

// The events and requests that make pushes to a Live Activity pending.

extension ActivityCadence {
    /// Observes an event of the activity's adventure.
    ///
    /// Each event is observed once, in order, unless it is acknowledged. An event before the newest one that was
    /// observed is ignored.
    /// - Parameters:
    ///   - rule: the requirements of the event for this phone.
    ///   - moment: its moment.
    ///   - now: the time.
    public mutating func observe(_ rule: PushRule, moment: Timestamp, at now: Timestamp) {
        guard moment >= observedUntil else { return }
        observedUntil = moment
        guard isLive else { return }
        freshness = rule.freshness ?? freshness
        apply(rule, moment: moment, at: now)
        if rule.endsActivity {
            adventureEnded(moment: moment, at: now)
        }
    }

    /// Makes the current state pending at once, since the activity has a new token or registered its first one.
    /// - Parameters:
    ///   - moment: the moment of the registration.
    ///   - now: the time.
    public mutating func currentStateRequired(moment: Timestamp, at now: Timestamp) {
        // Later than what is acknowledged: acknowledged events must not become pending again.
        let since = max(moment, acknowledgedAt.next)
        let wasTokenDead = isTokenDead
        if wasTokenDead {
            delivery = .ready(pending: nil)
            alerts.moveToNewToken(registeredAt: since)
        }
        switch life {
        case .live:
            let urgency = PushOccasion.newToken.urgency
            addPending(
                PendingState(firstAt: since, lastAt: since, urgency: urgency, events: 1, isForNewToken: true)
            )
        case .ending(_, let reason, let isOutcomeAnnounced) where wasTokenDead:
            life = .ending(moment: since, reason, isOutcomeAnnounced: isOutcomeAnnounced)
        case .announced where wasTokenDead:
            // The registration comes later than the end, so a successor does not observe the end again.
            life = .ending(moment: since, .adventureOver, isOutcomeAnnounced: true)
        case .ending, .announced, .ended:
            break
        }
        observedUntil = max(observedUntil, moment)
        tokenGeneration += 1
    }

    /// Makes the current state pending, since it changed without an event.
    /// - Parameters:
    ///   - occasion: the occasion of the change.
    ///   - moment: the moment of the change.
    public mutating func stateChanged(_ occasion: PushOccasion, moment: Timestamp) {
        // Before the moment counts as observed: afterwards it would be acknowledged.
        let since = max(moment, acknowledgedAt.next)
        observedUntil = max(observedUntil, moment)
        guard isLive else { return }
        addPending(PendingState(firstAt: since, lastAt: since, urgency: occasion.urgency, events: 0))
    }

    /// Makes the current state pending at once, since an operator requests a push.
    ///
    /// An activity that is ending, whose token is dead or that has not started ignores the request.
    /// - Parameters:
    ///   - moment: the moment of the request.
    ///   - now: the time.
    public mutating func pushRequested(moment: Timestamp, at now: Timestamp) {
        let since = max(moment, acknowledgedAt.next)
        observedUntil = max(observedUntil, moment)
        guard isLive, !isTokenDead, pendingStart(at: now) == nil else { return }
        addPending(
            PendingState(
                firstAt: since,
                lastAt: since,
                urgency: PushOccasion.pushRequested.urgency,
                events: 0,
                requestedAt: since
            )
        )
    }

    /// Makes `end` with the current state pending, since an operator requests it.
    /// - Parameters:
    ///   - moment: the moment of the request.
    ///   - now: the time.
    public mutating func endRequested(moment: Timestamp, at now: Timestamp) {
        end(because: .requested, moment: moment, at: now)
    }

    /// Makes `end` with the final state pending, since the adventure is over for this phone.
    ///
    /// Alerts that announce the outcome go out before `end`, as updates, unless the activity has not started; the others
    /// are cancelled.
    /// ``observe(_:moment:at:)`` does this by itself for a rule that ends the activity.
    /// - Parameters:
    ///   - moment: the moment of the event that ended it.
    ///   - now: the time.
    public mutating func adventureEnded(moment: Timestamp, at now: Timestamp) {
        end(because: .adventureOver, moment: moment, at: now)
    }

    /// Makes `end` pending, since a newer activity of the same adventure replaces this one, which leaves the Lock
    /// Screen at once.
    /// - Parameters:
    ///   - moment: the moment of the newer activity's registration.
    ///   - now: the time.
    public mutating func replaced(moment: Timestamp, at now: Timestamp) {
        end(because: .replaced, moment: moment, at: now)
    }

    mutating func end(because reason: EndReason, moment: Timestamp, at now: Timestamp) {
        guard case .live(let isOutcomeAnnounced) = life else { return }
        life = .ending(
            moment: max(moment, acknowledgedAt.next),
            reason,
            isOutcomeAnnounced: isOutcomeAnnounced
        )
        observedUntil = max(observedUntil, moment)
        let endsAlone = reason != .adventureOver || pendingStart(at: now) != nil
        cancelAlerts(because: .cancelledByEnd, at: now) { !$0.announcesOutcome || endsAlone }
    }

    /// Makes the state and the alert that a rule requires pending; while the token is dead only the alert, since the
    /// next token requires the current state anyway.
    private mutating func apply(_ rule: PushRule, moment: Timestamp, at now: Timestamp) {
        if moment > shownUntil {
            // The push with the alert, or the end, shows the state at once. Without it, the state alone is less urgent.
            addPending(rule.stateUrgency, moment: moment)
        }
        if !rule.cancels.isEmpty { cancelAlerts(because: .cancelledByEvent, at: now) { rule.cancels.contains($0) } }
        if let alert = rule.alert {
            let pending = PendingAlert(
                alert: alert,
                moment: moment,
                // The moment is later if the database's clock was set forward and the caller does not know yet.
                expires: max(moment, now) + policy.alertExpiry,
                pendingSince: moment
            )
            guard !acceptedAlerts.contains(pending.accepted) else {
                if alert.kind.announcesOutcome { life = .live(isOutcomeAnnounced: true) }
                return
            }
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
