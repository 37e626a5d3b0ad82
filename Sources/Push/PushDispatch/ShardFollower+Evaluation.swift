package import Encodings
import GameCore
import GameLog
import HeapModule
import PushCadence

// The evaluation of activities: its time, and the execution of the cadence's decision.

extension ShardFollower {
    /// When something is to be done because time has passed; nil if nothing is.
    package func dueAt(_ settings: FollowerContext.Settings) -> Timestamp? {
        let startsAt = nextStartsAt(settings)
        guard let wakeAt = wakeups.min?.at else { return startsAt }
        return startsAt.map { min($0, wakeAt) } ?? wakeAt
    }

    /// Evaluates the activities whose wait is over, and requests starts whose grace period is over.
    package mutating func evaluateDue(_ context: inout FollowerContext) {
        requestStarts(&context)
        while let next = wakeups.min, next.at <= context.now {
            wakeups.removeMin()
            if next.activity.wakeAt == next.at { evaluate(next.activity, &context) }
        }
    }

    /// Evaluates an activity that waited until fewer pushes are in flight; nothing happens if it is not followed any
    /// more.
    package mutating func evaluateQueued(_ key: ActivityKey, _ context: inout FollowerContext) {
        if let activity = activity(key) { evaluate(activity, isNext: true, &context) }
    }

    /// Evaluates all activities, after a time in which nothing was evaluated.
    package mutating func evaluateAll(_ context: inout FollowerContext) {
        evaluate(Set(sortedAdventures.map(\.id)), &context)
    }

    /// Evaluates the activities whose age requires a push, and removes those whose token died long ago.
    ///
    /// The heap has no entries for ages, since each would stay there for hours after the end of its activity.
    package mutating func evaluateAges(_ context: inout FollowerContext) {
        let now = context.now
        forgetOld()
        // Sorted, so that a seeded run is reproducible.
        for adventure in sortedAdventures {
            for activity in adventure.activities {
                if let tokenDiedAt = activity.tokenDiedAt,
                    now - tokenDiedAt > context.settings.policy.policy.alertExpiry,
                    // Otherwise the next holder would use the token.
                    activity.isDeathFlushed
                {
                    remove(activity.key)
                } else if let moment = activity.cadence.nextAgeCheckAt, moment <= now {
                    evaluate(activity, &context)
                }
            }
        }
    }

    /// Evaluates the activities of some adventures, and stops following adventures that are not needed any more.
    mutating func evaluate(_ ids: Set<AdventureID>, _ context: inout FollowerContext) {
        for id in ids.sorted() {
            guard let adventure = adventures[id] else { continue }
            for activity in adventure.activities { evaluate(activity, &context) }
            if !adventure.isNeeded { remove(id) }
        }
    }

    /// Evaluates an activity: gets the decision of its cadence, and orders the push or schedules the next evaluation.
    ///
    /// Nothing is done for an activity that is no longer followed, which may still be in the heap or on a page of the
    /// log.
    /// - Parameters:
    ///   - activity: the activity.
    ///   - isNext: whether the activity is the first of its push queue.
    ///   - context: the context.
    mutating func evaluate(
        _ activity: FollowedActivity,
        isNext: Bool = false,
        _ context: inout FollowerContext
    ) {
        let waitEnd = activity.wakeAt
        activity.wakeAt = nil
        guard activity.isFollowed, !activity.isClosed else { return }
        let adventure = activity.adventure
        // Also if nothing is sent any more: what is pending bounds the checkpoint.
        defer { notePending(activity) }
        guard !context.isDraining, !isLeaving else { return }
        let now = context.now
        // An adventure that was loaded after the head was read may be ahead of the log, which has the traces of its inputs.
        guard isCaughtUp, adventure.stored.readPosition <= readPosition else {
            activity.wakeAt = waitEnd
            touchedAdventures.insert(adventure.id)
            return
        }
        // The answer to a push in flight evaluates the activity again, so it waits for nothing else.
        if activity.inFlight == nil {
            guard context.uptime < context.sendUntil else {
                // The leases may be lost: evaluate again after the next renewal.
                return wake(activity, at: now + context.settings.leaseRetryDelay)
            }
            if let pause = pause(of: activity, context) {
                record(.wait(until: pause, .breakerOpen), about: activity, &context)
                return wake(activity, at: pause)
            }
            if let turn = suspectTurn(of: activity, &context) {
                record(.wait(until: turn, .backingOff), about: activity, &context)
                return wake(activity, at: turn)
            }
            let environment = activity.activity.environment
            guard context.hasCapacity(in: environment), isNext || context.isQueueEmpty(of: environment) else {
                activity.wakeAt = waitEnd
                return enqueue(activity, &context)
            }
        }
        let decision = activity.cadence.next(
            at: now,
            showing: adventure.changedAt,
            spending: &activity.device.budget,
            ringing: activity.activity.alertPreferences
        )
        activity.isAwaitingStart = activity.cadence.pendingStart(at: now) != nil
        takeDrops(of: activity, &context)
        record(decision, about: activity, &context)
        switch decision {
        case .send(let planned):
            let dueAt = dueAt(planned, to: activity, waitEnd: waitEnd, at: now)
            send(planned, dueAt: dueAt, to: activity, showing: adventure, &context)
        case .wait(until: let moment, _): wake(activity, at: moment)
        case .idle: break
        }
    }

    /// Returns when a push was due: from the first change that it reports, or from the end of the wait that the cadence, a
    /// circuit breaker or the push before it imposed.
    ///
    /// `waitEnd` is the end of the last wait, nil if nothing had to wait. A change at the current time has the next
    /// microsecond.
    private func dueAt(
        _ planned: PlannedPush,
        to activity: FollowedActivity,
        waitEnd: Timestamp?,
        at now: Timestamp
    ) -> Timestamp {
        // A scheduled activity waits for its start.
        let startsAt = activity.activity.startsAt ?? planned.changeAt
        // What waited is sent earlier than that only with a newer change, which need not wait.
        if let waitEnd, waitEnd > now { return min(max(planned.changeAt, startsAt), now) }
        let changeAt = planned.alertMoments.first ?? planned.pendingSince ?? planned.changeAt
        let registeredAt = activity.activity.tokenRegisteredAt
        return min(max(changeAt, waitEnd ?? changeAt, registeredAt, activity.activity.startsAt ?? changeAt), now)
    }

    /// Enqueues an activity, even without pending state: only the cadence knows what to send when its turn comes.
    private mutating func enqueue(_ activity: FollowedActivity, _ context: inout FollowerContext) {
        guard context.enqueue(activity, of: shard), activity.cadence.pendingSince != nil else { return }
        // Recorded once, at the beginning of the wait, whose end is unknown.
        record(.wait(until: context.now, .concurrencyLimit), about: activity, &context)
    }

    /// Records a decision for the metrics and in the decision log.
    private mutating func record(
        _ decision: CadenceDecision,
        about activity: FollowedActivity,
        _ context: inout FollowerContext
    ) {
        context.decisions.append(DecisionKind(decision))
        let content = PushContent(
            sequence: activity.adventure.stored.adventure.sequence,
            generation: activity.activity.generation
        )
        if activity.decisions.decided(decision, with: content, at: context.now) { dirty.insertLazy(activity) }
    }

    /// Returns the time until which an activity with pending state waits because its circuit breaker is open; nil if
    /// it need not wait.
    private func pause(of activity: FollowedActivity, _ context: borrowing FollowerContext) -> Timestamp? {
        guard
            let probe = context.breakers[activity.activity.environment]?
                .blockedUntil(for: activity.reputation, at: context.uptime),
            activity.cadence.pendingSince != nil
        else { return nil }
        // Jittered, so that each time another activity is first and sends the probe. The wait is short enough to notice
        // soon that the breaker closed.
        return context.now + min(probe - context.uptime, context.settings.openBreakerDelay) + context.openBreakerDelay()
    }

    /// Returns the time until which an activity with pending state and a suspect token waits for its turn among all of
    /// these; nil if it need not wait.
    private func suspectTurn(of activity: FollowedActivity, _ context: inout FollowerContext) -> Timestamp? {
        guard activity.reputation == .suspect, activity.cadence.pendingSince != nil,
            !activity.cadence.isBackingOff(at: context.now)
        else { return nil }
        var reserved = activity.reservedAt ?? context.reserveSuspectPush(in: activity.activity.environment)
        // A turn that was missed is lost: the turns of many must not come together.
        if reserved + FollowerContext.suspectPushInterval < context.uptime {
            reserved = context.reserveSuspectPush(in: activity.activity.environment)
        }
        activity.reservedAt = reserved
        return reserved > context.uptime ? context.now + (reserved - context.uptime) : nil
    }

    /// Records the drops of the cadence in the decision log, the metrics and the log.
    mutating func takeDrops(
        of activity: FollowedActivity,
        because change: DecisionRecord.Trigger? = nil,
        _ context: inout FollowerContext
    ) {
        for drop in activity.cadence.takeDrops() {
            activity.decisions.dropped(drop, because: change)
            context.decisions.append(.drop(drop.reason))
            context.effects.append(.dropped(drop, activity.key))
            // What was dropped must not be pending again after a crash.
            dirty.insertUrgent(activity)
        }
    }

    private mutating func wake(_ activity: FollowedActivity, at moment: Timestamp) {
        activity.wakeAt = moment
        wakeups.insert(Wakeup(at: moment, activity: activity))
    }
}
