public import Encodings
import GameCore
public import PushRules

// What happens to a Live Activity, and what it owes for that.

extension ActivityCadence {
    /// An event of the activity's adventure.
    ///
    /// Events come in the order of the log; one at or below a position that was observed before is ignored, but for the end
    /// of an adventure whose card is live still: see ``toldThrough``.
    /// - Parameters:
    ///   - rule: what the event owes this phone.
    ///   - position: its position in the log.
    ///   - now: the time.
    public mutating func observe(_ rule: PushRule, position: Int64, at now: Timestamp) {
        guard position > observedThrough else {
            if isLive, rule.endsActivity, rule.alert?.kind.tellsTheEnd == true {
                life = .ending(since: position, .adventureOver)
                hasToldTheEnd = true
                isHalfTold = true
            }
            return
        }
        observedThrough = position
        switch life {
        case .ending, .ended: return
        case .live: break
        }
        freshness = rule.freshness ?? freshness
        owe(rule, position: position, at: now)
        if rule.endsActivity {
            ended(position: position, at: now)
        }
    }

    /// The activity has a token that was never pushed to, its first one or a new one: it owes the state at once.
    /// - Parameters:
    ///   - position: where the log tells of the token.
    ///   - now: the time.
    public mutating func owesCurrentState(position: Int64, at now: Timestamp) {
        // Never below what is settled: that must not become unsettled again.
        let owedPosition = max(position, settledThrough + 1)
        switch life {
        case .live: oweState(.high, position: owedPosition)
        case .ending(_, let reason) where tokenIsDead:
            life = .ending(since: owedPosition, reason)
            // The log tells of the new token later than of the end, of which nothing more will be observed.
            isHalfTold = false
        case .ending, .ended: break
        }
        if tokenIsDead { alerts.unsettle(from: owedPosition) }
        observedThrough = max(observedThrough, position)
        tokenGeneration += 1
        tokenIsDead = false
    }

    /// An operator asks for the current state at once; a card that ends, or whose token is dead, does without.
    /// - Parameters:
    ///   - position: where the log tells of it.
    ///   - now: the time.
    public mutating func stateAsked(position: Int64, at now: Timestamp) {
        observedThrough = max(observedThrough, position)
        guard isLive, !tokenIsDead else { return }
        let owedPosition = max(position, settledThrough + 1)
        owe(OwedState(since: owedPosition, latest: owedPosition, urgency: .high, events: 0, askedAt: owedPosition))
    }

    /// An operator asks for the end: the card owes `end` with the current state.
    /// - Parameters:
    ///   - position: where the log tells of it.
    ///   - now: the time.
    public mutating func endAsked(position: Int64, at now: Timestamp) {
        end(because: .asked, position: position, at: now)
    }

    /// The adventure is over for this phone: it owes `end` with the final state.
    ///
    /// Alerts that tell the end go out before it, as updates; the others are cancelled.
    /// ``observe(_:position:at:)`` does this by itself for a rule that ends the activity.
    /// - Parameters:
    ///   - position: the position of the event that ended it.
    ///   - now: the time.
    public mutating func ended(position: Int64, at now: Timestamp) {
        end(because: .adventureOver, position: position, at: now)
    }

    /// A newer card of the same adventure has taken this one's place: it owes `end`, and leaves the Lock Screen at once.
    /// - Parameters:
    ///   - position: where the log tells of the newer card.
    ///   - now: the time.
    public mutating func replaced(position: Int64, at now: Timestamp) {
        end(because: .replaced, position: position, at: now)
    }

    mutating func end(because reason: EndReason, position: Int64, at now: Timestamp) {
        switch life {
        case .ending, .ended: return
        case .live: break
        }
        life = .ending(since: max(position, settledThrough + 1), reason)
        observedThrough = max(observedThrough, position)
        cancelAlerts(because: .cancelledByEnd, at: now) { !$0.tellsTheEnd || reason != .adventureOver }
    }

    /// A phone whose token is dead is owed its alerts only: the next token brings the state along.
    private mutating func owe(_ rule: PushRule, position: Int64, at now: Timestamp) {
        if position > shownThrough, !tokenIsDead {
            // What is urgent is an alert or the end, which bring the state along at once; should the alert be cancelled, the
            // state alone is not that urgent.
            oweState(min(rule.urgency, .turn), position: position)
        }
        cancelAlerts(because: .cancelledByEvent, at: now) { rule.cancels.contains($0) }
        if let alert = rule.alert {
            let pending = PendingAlert(
                alert: alert,
                position: position,
                expires: now + policy.alertExpiry,
                owedSince: position
            )
            record(alerts.append(pending, at: now))
        }
    }

    mutating func oweState(_ urgency: Urgency, position: Int64) {
        owe(OwedState(since: position, latest: position, urgency: urgency, events: 1))
    }

    mutating func owe(_ more: OwedState) {
        owed?.merge(more)
        owed = owed ?? more
    }

    private mutating func cancelAlerts(
        because reason: Drop.Reason,
        at now: Timestamp,
        where isPointless: (AlertKind) -> Bool
    ) {
        record(alerts.remove(because: reason, at: now) { isPointless($0.alert.kind) })
        flight?.cancelAlerts(because: reason, where: isPointless)
    }
}
