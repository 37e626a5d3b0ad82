public import Encodings
public import GameCore
import PushRules

// The pushes that could be sent for a Live Activity, and the choice among them.

extension ActivityCadence {
    /// Returns the decision about the next push.
    ///
    /// If the decision is `send`, the push counts as in flight from now on, and its timestamp is used up: write the
    /// request at once.
    /// - Parameters:
    ///   - now: the time.
    ///   - moment: the moment of the newest change of the state that would be sent now, which includes everything
    ///     that was observed.
    ///   - budget: the budget of the phone, of which a push of priority 10 spends one.
    ///   - preferences: which alerts ring on the phone; the others are dropped, and leave their states behind.
    /// - Returns: the push to send; or the time of the next call, with the reason for the wait; or the reason why no
    ///   push is due.
    public mutating func next(
        at now: Timestamp,
        showing moment: Timestamp,
        spending budget: inout DeviceBudget,
        ringing preferences: AlertPreferences = AlertPreferences()
    ) -> CadenceDecision {
        record(alerts.expire(at: now))
        record(alerts.remove(because: .muted, at: now) { !preferences.rings($0.alert.kind, at: now) })
        switch delivery {
        case .inFlight: return .idle(.inFlight)
        case .tokenDead: return .idle(.tokenDead)
        case .ready: break
        }
        // A push in the future means that the clock was set back, which must not silence the activity until then.
        if let sentAt = lastPush?.sentAt, sentAt > now {
            if sentAt > now + .seconds(Self.maxSecondsAhead) { notBefore = nil }
            lastPush?.sentAt = now
        }
        if let start = pendingStart(at: now), isLive {
            return pendingSince == nil ? .idle(.nothingPending) : .wait(until: start, .scheduled)
        }
        checkAge(at: now)
        let (first, second) = candidates(at: now, within: budget)
        guard let first else { return .idle(isEnded ? .ended : .nothingPending) }
        if let due = first.due <= now ? first : second, due.due <= now {
            let push = send(due, at: now, showing: max(moment, observedUntil))
            if push.priority == .high { budget.spend(at: now) }
            return .send(push)
        }
        // The first candidate is an alert of the highest weight: if it lacks budget, all alerts do.
        if case .alerts = first.content, first.obstacle == .budget { alerts.waitForBudget() }
        let next = if let second, second.due < first.due { second } else { first }
        return .wait(until: next.due, next.obstacle)
    }

    /// A push that could be sent, with the earliest time.
    private struct Candidate {
        enum Content {
            /// One or more alerts, which one push carries.
            case alerts([PendingAlert])
            case state(PushPriority, SendReason)
            case end(PushPriority, EndReason)
        }

        let content: Content
        /// The earliest time to send it.
        var due: Timestamp
        /// The reason why it is not sent before ``due``.
        var obstacle: WaitReason
    }

    /// Returns the pushes that could be sent, at most two, the more important one first.
    private func candidates(at now: Timestamp, within budget: DeviceBudget) -> (Candidate?, Candidate?) {
        // A push without an alert leaves the reserve to alerts.
        let spare = budget.allows(keeping: pace.alertReserve, at: now) ? PushPriority.high : .low
        let alert = alertCandidate(at: now, within: budget)
        switch life {
        case .live: return inOrder(alert, stateCandidate(spare, at: now), at: now)
        // While the alert of the outcome waits, the activity shows the final state already.
        case .ending where alert != nil, .announced where alert != nil:
            return inOrder(alert, stateCandidate(spare, at: now), at: now)
        case .ending(_, let reason, let isOutcomeAnnounced):
            let end = endCandidate(reason, isOutcomeAnnounced: isOutcomeAnnounced, at: now, within: budget)
            return inOrder(end, nil, at: now)
        case .announced:
            let end = endCandidate(.adventureOver, isOutcomeAnnounced: true, at: now, within: budget)
            return inOrder(end, nil, at: now)
        case .ended: return (nil, nil)
        }
    }

    /// Applies the general rules to candidates, and moves the only one to the first position.
    private func inOrder(_ first: Candidate?, _ second: Candidate?, at now: Timestamp) -> (Candidate?, Candidate?) {
        let second = second.map { delayedByGeneralRules($0, at: now) }
        guard let first else { return (second, nil) }
        return (delayedByGeneralRules(first, at: now), second)
    }

    private func alertCandidate(at now: Timestamp, within budget: DeviceBudget) -> Candidate? {
        let next = alerts.next
        guard let weight = next.first?.alert.kind.weight else { return nil }
        let due = budget.nextAllowed(keeping: pace.reserve(for: weight), at: now)
        return Candidate(content: .alerts(next), due: due, obstacle: .budget)
    }

    /// Returns `end`, which is due at once: at priority 10 if the budget allows it, otherwise at priority 5 without a
    /// delay.
    ///
    /// After an accepted alert of the outcome, which showed the final state, `end` spends only budget that no alert
    /// needs.
    private func endCandidate(
        _ reason: EndReason,
        isOutcomeAnnounced: Bool,
        at now: Timestamp,
        within budget: DeviceBudget
    ) -> Candidate {
        let reserve = isOutcomeAnnounced ? pace.alertReserve : pace.reserve(for: .companion)
        let priority = budget.allows(keeping: reserve, at: now) ? PushPriority.high : .low
        return Candidate(content: .end(priority, reason), due: now, obstacle: .minimumSpacing)
    }

    private func stateCandidate(_ spare: PushPriority, at now: Timestamp) -> Candidate? {
        guard let pending else { return nil }
        let wanted = pending.urgency.priority(frequentPushesEnabled: frequentPushesEnabled)
        if pending.requestedAt != nil || pending.isForNewToken {
            let reason: SendReason = pending.requestedAt != nil ? .requested : .newToken
            let content = Candidate.Content.state(wanted == .high ? spare : .low, reason)
            return Candidate(content: content, due: now, obstacle: .minimumSpacing)
        }
        switch pending.urgency {
        case .turn where !frequentPushesEnabled:
            return spaced(by: pace.turnSpacing, .state(.low, .turnWithoutFrequentPushes), .turnSpacing, at: now)
        case .turn, .high:
            let content = Candidate.Content.state(spare, spare == .high ? .turn : .turnDemoted)
            return spaced(by: pace.turnSpacing, content, .turnSpacing, at: now)
        case .low:
            let reason: SendReason = ageWarning == .pending ? .activityEndsSoon : .low
            return spaced(by: pace.lowSpacing, .state(.low, reason), .lowSpacing, at: now)
        }
    }

    private func spaced(
        by spacing: Duration,
        _ content: Candidate.Content,
        _ obstacle: WaitReason,
        at now: Timestamp
    ) -> Candidate {
        Candidate(content: content, due: earliest(after: spacing, at: now), obstacle: obstacle)
    }

    private func delayedByGeneralRules(_ candidate: Candidate, at now: Timestamp) -> Candidate {
        var candidate = candidate
        let spaced = max(earliest(after: CadencePolicy.minimumSpacing, at: now), timestampsAllow(at: now))
        if spaced > max(candidate.due, now) {
            candidate.due = spaced
            candidate.obstacle = .minimumSpacing
        }
        if let notBefore, notBefore > max(candidate.due, now) {
            candidate.due = notBefore
            candidate.obstacle = .backingOff
        }
        return candidate
    }

    /// Returns the time from which the timestamp of the next push is at most a second ahead.
    ///
    /// After the first push of a lease, or if the clock was set back by some seconds, the last timestamp is further
    /// ahead. A clock that was set back by more is not waited for.
    private func timestampsAllow(at now: Timestamp) -> Timestamp {
        guard let lastPush, (1...Self.maxSecondsAhead).contains(lastPush.timestamp - now.epochSeconds) else {
            return now
        }
        return Timestamp(epochSeconds: lastPush.timestamp)
    }

    /// The number of seconds by which the last timestamp may be ahead so that the next push waits for the clock.
    private static let maxSecondsAhead: Int64 = 10

    private func earliest(after spacing: Duration, at now: Timestamp) -> Timestamp {
        lastPush.map { $0.sentAt + spacing } ?? now
    }

    /// Plans the push and counts it as in flight.
    private mutating func send(_ candidate: Candidate, at now: Timestamp, showing moment: Timestamp) -> PlannedPush {
        let push = planned(candidate.content, at: now, showing: moment)
        var sentAlerts: [PendingAlert] = []
        var rest: PendingState?
        if case .alerts(let next) = candidate.content {
            alerts.remove(next)
            sentAlerts = next
            rest = pending?.requestAlone
        }
        let inFlight = InFlightPush(
            push,
            shownUntil: moment,
            pending: pending,
            alerts: sentAlerts,
            tokenGeneration: tokenGeneration
        )
        delivery = .inFlight(BoxedPush(inFlight), pending: rest)
        lastPush = LastPush(timestamp: push.timestamp, sentAt: now)
        return push
    }

    private func planned(_ content: Candidate.Content, at now: Timestamp, showing moment: Timestamp) -> PlannedPush {
        let timestamp = max(now.epochSeconds, firstTimestamp, lastPush.map { $0.timestamp + 1 } ?? 0)
        let staleDate = policy.staleDate(of: freshness, frequentPushesEnabled: frequentPushesEnabled, at: now)
        let notice: ActivityNotice? = isNearMaxAge(at: now) ? .endsSoon : nil
        switch content {
        case .alerts(let alerts):
            let newest = alerts[alerts.count - 1]
            return PlannedPush(
                event: .update(staleDate: staleDate),
                priority: .high,
                alert: PushAlert(combining: alerts.map(\.alert)),
                alertMoments: alerts.map(\.moment),
                timestamp: timestamp,
                // A phone that is reachable only after this time should no longer play the sound.
                expiration: max(newest.expires.epochSeconds, timestamp + 1),
                changeAt: newest.moment,
                pendingSince: pendingSince,
                coveredEvents: pending?.events ?? 0,
                notice: notice,
                reason: .alert(newest.alert.kind)
            )
        case .state(let priority, let reason):
            return PlannedPush(
                event: .update(staleDate: staleDate),
                priority: priority,
                alert: nil,
                alertMoments: [],
                timestamp: timestamp,
                expiration: staleDate,
                changeAt: moment,
                pendingSince: pendingSince,
                coveredEvents: pending?.events ?? 0,
                notice: notice,
                reason: reason
            )
        case .end(let priority, let reason):
            let dismissal = reason == .replaced ? now.epochSeconds : policy.dismissalDate(at: now)
            return PlannedPush(
                event: .end(dismissalDate: dismissal),
                priority: priority,
                alert: nil,
                alertMoments: [],
                timestamp: timestamp,
                expiration: (now + policy.endExpiration).epochSeconds,
                changeAt: moment,
                pendingSince: pendingSince,
                coveredEvents: 0,
                notice: reason == .tooOld ? .tooOld : nil,
                reason: .end(reason)
            )
        }
    }
}
