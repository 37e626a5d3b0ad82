public import GameCore
public import PushRules

/// Decides when one Live Activity is pushed next, at which priority and with which alert.
///
/// A value without a clock: events, answers and time come in, one ``Decision`` comes out. It is level-triggered: of
/// all that happened it only remembers that the *newest* state is owed, since when and how urgently, so it neither
/// grows nor falls behind however many events there are. Alerts alone are queued, each with an expiry and with what
/// makes it pointless.
///
/// What always holds: one push under way at a time and at most one a second; timestamps strictly grow; the pushes of
/// priority 10 that were accepted stay within the phone's budget; an alert is never demoted, and is sent or dropped
/// with a reason (``takeDrops()``); `end` is sent until it is accepted or refused for good, and nothing follows it
/// (when the token changed under way it is sent to the new one too, since the phone may not have seen it).
///
/// How it is driven: ``observe(_:position:at:)`` for the events of the log in order, then
/// ``next(at:showing:spending:)``; on `send` the request is written at once and ``completed(_:at:refunding:)`` tells
/// its answer; then `next` again.
public struct ActivityCadence: Sendable {
    private enum Life {
        /// The adventure goes on.
        case live
        /// The adventure, or the card's own life, is over: owes alerts that tell the end, then `end`, for that position.
        case ending(since: Int64, EndReason)
        /// `end` is accepted, or refused for good.
        case ended
    }

    private let shared: CadencePolicy.Shared
    private let frequentPushesEnabled: Bool

    private let startedAt: Timestamp

    private var life = Life.live
    private var ageWarning = AgeWarning.notDue
    /// Whether an alert with the final state was accepted.
    private var hasToldTheEnd = false
    /// Whether that was the alert of the very event whose `end` is owed.
    private var isHalfTold = false
    /// How long the state that is newest stays true.
    private var freshness: Freshness
    private var owed: OwedState?
    private var tokenIsDead = false
    /// Grows with each token: what went to an older one settles nothing.
    private var tokenGeneration = 0
    private var alerts: AlertQueue
    private var flight: Flight?
    private var drops: [Drop] = []

    private var lastTimestamp: Int64?
    private var lastSent: Timestamp?
    private var notBefore: Timestamp?

    private var observedThrough: Int64
    private var shownThrough: Int64

    /// The cadence of an activity that owes nothing yet, with numbers of its own; see
    /// ``init(sharing:frequentPushesEnabled:startedAt:resuming:settledThrough:fresh:)``.
    public init(
        policy: CadencePolicy,
        frequentPushesEnabled: Bool,
        startedAt: Timestamp,
        resuming lastTimestamp: Int64?,
        settledThrough position: Int64,
        fresh freshness: Freshness = .brief
    ) {
        self.init(
            sharing: CadencePolicy.Shared(policy),
            frequentPushesEnabled: frequentPushesEnabled,
            startedAt: startedAt,
            resuming: lastTimestamp,
            settledThrough: position,
            fresh: freshness
        )
    }

    /// The cadence of an activity that owes nothing yet.
    /// - Parameters:
    ///   - shared: the numbers, which many activities have in common.
    ///   - frequentPushesEnabled: what the app reported; it holds for the activity's life.
    ///   - startedAt: when the app registered the activity: the system ends it eight hours after it started it, see
    ///     ``CadencePolicy/longestLife``.
    ///   - lastTimestamp: the timestamp of the last push, if any was sent before, by this process or another.
    ///   - position: nothing at or below this position of the log is owed.
    ///   - freshness: how long the state stays true that is newest now, which events before `position` tell; a fight's
    ///     unless told.
    public init(
        sharing shared: CadencePolicy.Shared,
        frequentPushesEnabled: Bool,
        startedAt: Timestamp,
        resuming lastTimestamp: Int64?,
        settledThrough position: Int64,
        fresh freshness: Freshness = .brief
    ) {
        self.shared = shared
        self.frequentPushesEnabled = frequentPushesEnabled
        self.startedAt = startedAt
        self.freshness = freshness
        self.alerts = AlertQueue(bound: shared.policy.alertQueueBound)
        self.lastTimestamp = lastTimestamp
        self.lastSent = lastTimestamp.map(Timestamp.init(epochSeconds:))
        self.observedThrough = position
        self.shownThrough = position
    }

    // MARK: - What is owed

    /// The first position of the log that something is still owed for; nil when nothing is.
    ///
    /// The lowest of these over all activities of a shard bounds the shard's checkpoint.
    public var owedSince: Int64? {
        if tokenIsDead { return nil }
        var positions = [owed?.since, alerts.owedSince, flight?.owed?.since, flight?.alerts.map(\.owedSince).min()]
        switch life {
        case .live, .ended: break
        case .ending(let since, _): positions.append(since)
        }
        return positions.compactMap(\.self).min()
    }

    /// Nothing at or below this position of the log is still owed; it never goes back.
    public var settledThrough: Int64 { owedSince.map { $0 - 1 } ?? observedThrough }

    /// Through which position of the log a cadence that goes on in the place of this one need not tell anything again.
    ///
    /// That is ``settledThrough``, but where an event owed an alert and `end`, of which only the alert was accepted: it counts
    /// as told here, and the other cadence, which is to observe it nevertheless, owes `end` alone.
    public var toldThrough: Int64 {
        guard isHalfTold, case .ending(let since, _) = life else { return settledThrough }
        let alert = [alerts.owedSince, flight?.alerts.map(\.owedSince).min()].compactMap(\.self).min()
        return max(settledThrough, min(since, alert.map { $0 - 1 } ?? since))
    }

    /// What was dropped since the last call, oldest first; the last ``dropsKept`` at most.
    public mutating func takeDrops() -> [Drop] {
        defer { drops = [] }
        return drops
    }

    /// How many drops are remembered for ``takeDrops()``.
    public static let dropsKept = 32

    // MARK: - What happens

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

    private mutating func end(because reason: EndReason, position: Int64, at now: Timestamp) {
        switch life {
        case .ending, .ended: return
        case .live: break
        }
        life = .ending(since: max(position, settledThrough + 1), reason)
        observedThrough = max(observedThrough, position)
        cancelAlerts(because: .cancelledByEnd, at: now) { !$0.tellsTheEnd || reason != .adventureOver }
    }

    /// The answer to the push that is under way.
    /// - Parameters:
    ///   - completion: how it went.
    ///   - now: the time.
    ///   - budget: the phone's, which gets back what did not reach it.
    public mutating func completed(_ completion: Completion, at now: Timestamp, refunding budget: inout PhoneBudget) {
        guard let flight else { preconditionFailure("an answer came, and no push is under way") }
        self.flight = nil
        if completion.neverReachedThePhone, flight.push.priority == .high { budget.giveBack() }
        // What an older token got, the phone may never see, and what APNs says of it is not about the new one: all of it
        // is owed to the new one, `end` included.
        if flight.tokenGeneration != tokenGeneration {
            if completion != .accepted { oweAgain(flight, at: now) }
            return
        }
        switch completion {
        case .accepted:
            accept(flight)
        case .retryLater(let delay), .unanswered(let delay):
            oweAgain(flight, at: now)
            notBefore = now + delay
        case .refusedForever:
            refuse(flight, at: now)
        case .tokenDead:
            oweAgain(flight, at: now)
            tokenIsDead = true
            owed = nil
        }
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

    private mutating func oweState(_ urgency: Urgency, position: Int64) {
        owe(OwedState(since: position, latest: position, urgency: urgency, events: 1))
    }

    private mutating func owe(_ more: OwedState) {
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

    // MARK: - Age

    /// Whether the phone was told that the card ends soon.
    private enum AgeWarning {
        case notDue
        case owed
        case shown
    }

    /// Whether the card has come so near the end of its life that it says so.
    public func isOld(at now: Timestamp) -> Bool { now >= startedAt + policy.warnsAtAge }

    /// When to look at the activity again for its age alone; nil when its age changes nothing any more.
    public var growsOldAt: Timestamp? {
        switch life {
        case .live: ageWarning != .notDue ? startedAt + policy.endsAtAge : startedAt + policy.warnsAtAge
        case .ending, .ended: nil
        }
    }

    /// Warns that the card ends soon, and ends it before the system does.
    private mutating func grow(older now: Timestamp) {
        guard isLive, isOld(at: now) else { return }
        if now >= startedAt + policy.endsAtAge {
            end(because: .tooOld, position: observedThrough, at: now)
            return
        }
        if ageWarning == .notDue { ageWarning = .owed }
        if ageWarning == .owed, owed == nil { oweState(.low, position: settledThrough + 1) }
    }

    // MARK: - What to do

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

    // MARK: - Answers

    private mutating func accept(_ flight: Flight) {
        shownThrough = max(shownThrough, flight.through)
        if flight.push.notice == .endsSoon { ageWarning = .shown }
        for alert in flight.alerts where alert.alert.kind.tellsTheEnd {
            hasToldTheEnd = true
            if case .ending(since: alert.position, .adventureOver) = life { isHalfTold = true }
        }
        if flight.isEnd {
            life = .ended
        } else if let owed, owed.latest <= shownThrough, owed.askedAt == nil {
            self.owed = nil
        }
    }

    private mutating func oweAgain(_ flight: Flight, at now: Timestamp) {
        if let state = flight.owed { owe(state) }
        // The newest first, since each is put before the others.
        for alert in flight.alerts.reversed() {
            if let reason = alert.pointless {
                record([alert.dropped(because: reason, at: now)])
            } else {
                record(alerts.putBack(alert, at: now))
            }
        }
    }

    private mutating func refuse(_ flight: Flight, at now: Timestamp) {
        // Refused for good is said once: it would be refused again.
        if flight.push.notice == .endsSoon { ageWarning = .shown }
        if flight.isEnd {
            life = .ended
            record([Drop(subject: .end, position: flight.push.position, moment: now, reason: .refused)])
        } else if !flight.alerts.isEmpty {
            // The alert may be what APNs objects to, so the state is tried without it.
            record(flight.alerts.map { $0.dropped(because: .refused, at: now) })
            if let state = flight.owed { owe(state) }
        } else {
            record([Drop(subject: .state, position: flight.push.position, moment: now, reason: .refused)])
        }
    }

    private var policy: CadencePolicy { shared.policy }
    private var pace: CadencePolicy.Pace { policy.pace(frequentPushesEnabled: frequentPushesEnabled) }

    private var isLive: Bool {
        switch life {
        case .live: true
        case .ending, .ended: false
        }
    }

    private var isEnded: Bool {
        switch life {
        case .live, .ending: false
        case .ended: true
        }
    }

    private mutating func record(_ new: [Drop]) {
        drops = (drops + new).suffix(Self.dropsKept)
    }
}
