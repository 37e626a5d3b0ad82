public import Encodings
import GameCore
import PushRules

// What a Live Activity wants, and the push that comes of it.

extension ActivityCadence {
    /// What the activity wants now.
    ///
    /// On `send` the push counts as under way, and its timestamp is taken: write the request at once.
    /// - Parameters:
    ///   - now: the time.
    ///   - position: the newest position that the state shows which would be sent now; at least the last one observed
    ///     for this activity.
    ///   - budget: the phone's, from which a push of priority 10 is taken.
    /// - Returns: a push, or when to ask again, or why there is nothing to do.
    public mutating func next(
        at now: Timestamp,
        showing position: Int64,
        spending budget: inout PhoneBudget
    ) -> Decision {
        record(alerts.expire(at: now))
        if flight != nil { return .idle(.inFlight) }
        if tokenIsDead { return .idle(.tokenDead) }
        // A last push in the future means that a clock was set back; it must not silence the activity until then.
        lastSent = lastSent.map { min($0, now) }
        grow(older: now)
        let wants = wants(at: now, within: &budget)
        if let want = wants.first(where: { $0.due <= now }) {
            let push = take(want, at: now, showing: position)
            if push.priority == .high { budget.take() }
            return .send(push)
        }
        // Of the alerts the weightiest is wanted first: where there is no budget for it there is none for any.
        if case .alerts? = wants.first?.content, wants.first?.obstacle == .budget { alerts.waitForBudget() }
        guard let want = wants.min(by: { $0.due < $1.due }) else { return .idle(isEnded ? .ended : .nothingOwed) }
        return .wait(until: want.due, want.obstacle)
    }

    /// Something that could be sent, and when.
    private struct Want {
        enum Content {
            /// One or more, which one push tells.
            case alerts([PendingAlert])
            case state(PushPriority, SendReason)
            case end(PushPriority, EndReason)
        }

        let content: Content
        /// From when on it may be sent.
        var due: Timestamp
        /// What stands in the way until then.
        var obstacle: WaitReason
    }

    /// What could be sent, the most important first.
    private func wants(at now: Timestamp, within budget: inout PhoneBudget) -> [Want] {
        // What lights no screen leaves alerts their reserve.
        let spare = budget.allows(keeping: pace.alertReserve, at: now) ? PushPriority.high : .low
        let alert = wantedAlert(at: now, within: &budget)
        let wants: [Want?] =
            switch life {
            case .live: [alert, wantedState(spare, at: now)]
            // While the alert that tells the end waits, the card shows the end already.
            case .ending where alert != nil: [alert, wantedState(spare, at: now)]
            case .ending(_, let reason): [wantedEnd(reason, at: now, within: &budget)]
            case .ended: []
            }
        return wants.compactMap(\.self).map { delayedByGeneralRules($0, at: now) }
    }

    private func wantedAlert(at now: Timestamp, within budget: inout PhoneBudget) -> Want? {
        let next = alerts.next
        guard let weight = next.first?.alert.kind.weight else { return nil }
        let due = budget.allowed(keeping: pace.reserve(for: weight), at: now)
        return Want(content: .alerts(next), due: due, obstacle: .budget)
    }

    /// `end`, at once: at priority 10 as long as there is budget for it, else quietly rather than late.
    ///
    /// After an alert that told the end and showed its state already, only budget that no alert needs is spent on it.
    private func wantedEnd(_ reason: EndReason, at now: Timestamp, within budget: inout PhoneBudget) -> Want {
        let reserve = hasToldTheEnd ? pace.alertReserve : pace.reserve(for: .companion)
        let priority = budget.allows(keeping: reserve, at: now) ? PushPriority.high : .low
        return Want(content: .end(priority, reason), due: now, obstacle: .minimumSpacing)
    }

    private func wantedState(_ spare: PushPriority, at now: Timestamp) -> Want? {
        guard let owed else { return nil }
        switch owed.urgency {
        case .high:
            let reason: SendReason = owed.askedAt != nil ? .asked : .newToken
            return Want(content: .state(spare, reason), due: now, obstacle: .minimumSpacing)
        case .turn where !frequentPushesEnabled:
            return spaced(by: pace.turnSpacing, .state(.low, .turnWithoutFrequentPushes), .turnSpacing, at: now)
        case .turn:
            let content = Want.Content.state(spare, spare == .high ? .turn : .turnDemoted)
            return spaced(by: pace.turnSpacing, content, .turnSpacing, at: now)
        case .low:
            let reason: SendReason = ageWarning == .owed ? .cardEndsSoon : .low
            return spaced(by: pace.lowSpacing, .state(.low, reason), .lowSpacing, at: now)
        }
    }

    private func spaced(
        by spacing: Duration,
        _ content: Want.Content,
        _ obstacle: WaitReason,
        at now: Timestamp
    ) -> Want {
        Want(content: content, due: earliest(after: spacing, at: now), obstacle: obstacle)
    }

    private func delayedByGeneralRules(_ want: Want, at now: Timestamp) -> Want {
        var want = want
        let spaced = earliest(after: CadencePolicy.minimumSpacing, at: now)
        if spaced > max(want.due, now) {
            want.due = spaced
            want.obstacle = .minimumSpacing
        }
        if let notBefore, notBefore > max(want.due, now) {
            want.due = notBefore
            want.obstacle = .backingOff
        }
        return want
    }

    private func earliest(after spacing: Duration, at now: Timestamp) -> Timestamp {
        lastSent.map { $0 + spacing } ?? now
    }

    /// Counts the push as under way.
    private mutating func take(_ want: Want, at now: Timestamp, showing position: Int64) -> PlannedPush {
        let push = planned(want.content, at: now, showing: position)
        var told: [PendingAlert] = []
        var rest: OwedState?
        if case .alerts(let pending) = want.content {
            alerts.take(pending)
            told = pending
            rest = owed?.unanswered
        }
        flight = Flight(push: push, through: position, owed: owed, alerts: told, tokenGeneration: tokenGeneration)
        owed = rest
        lastTimestamp = push.timestamp
        lastSent = now
        return push
    }

    private func planned(_ content: Want.Content, at now: Timestamp, showing position: Int64) -> PlannedPush {
        let timestamp = max(now.epochSeconds, lastTimestamp.map { $0 + 1 } ?? now.epochSeconds)
        let staleDate = policy.staleDate(of: freshness, frequentPushesEnabled: frequentPushesEnabled, at: now)
        let notice: CardNotice? = isOld(at: now) ? .endsSoon : nil
        switch content {
        case .alerts(let pending):
            let newest = pending[pending.count - 1]
            return PlannedPush(
                event: .update(staleDate: staleDate),
                priority: .high,
                alert: PushAlert(telling: pending.map(\.alert)),
                alertPositions: pending.map(\.position),
                timestamp: timestamp,
                // A phone that comes back later than this had better not sound.
                expiration: max(newest.expires.epochSeconds, timestamp + 1),
                position: newest.position,
                coveredEvents: owed?.events ?? 0,
                notice: notice,
                reason: .alert(newest.alert.kind)
            )
        case .state(let priority, let reason):
            return PlannedPush(
                event: .update(staleDate: staleDate),
                priority: priority,
                alert: nil,
                alertPositions: [],
                timestamp: timestamp,
                expiration: staleDate,
                position: position,
                coveredEvents: owed?.events ?? 0,
                notice: notice,
                reason: reason
            )
        case .end(let priority, let reason):
            let dismissal = reason == .replaced ? now.epochSeconds : policy.dismissalDate(at: now)
            return PlannedPush(
                event: .end(dismissalDate: dismissal),
                priority: priority,
                alert: nil,
                alertPositions: [],
                timestamp: timestamp,
                expiration: (now + policy.endExpiration).epochSeconds,
                position: position,
                coveredEvents: 0,
                notice: reason == .tooOld ? .tooOld : nil,
                reason: .end(reason)
            )
        }
    }
}
