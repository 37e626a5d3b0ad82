import APNsClient
import Encodings
import GameCore
import GameStore
import HeapModule
import LiveActivityContent
import Logging
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    func evaluateDue() {
        let now = runtime.now()
        while let next = wakeups.min, next.at <= now {
            wakeups.removeMin()
            guard next.activity.wakeAt == next.at, let followed = shards[next.shard] else { continue }
            evaluate(next.activity, of: followed)
        }
    }

    /// Evaluates, once a minute, the activities that reached an age that matters, and removes values that no longer matter.
    ///
    /// The heap has no entries for ages, since each would stay there for hours after the end of its activity.
    func evaluateAges() {
        let now = runtime.now()
        guard now >= agesDueAt else { return }
        agesDueAt = now + Self.ageInterval
        // Sorted, so that a seeded run is reproducible.
        for followed in shards.values.sorted(by: { $0.shard < $1.shard }) {
            for adventure in followed.adventures.values.sorted(by: { $0.stored.id < $1.stored.id }) {
                for activity in adventure.activities.values.sorted(by: { $0.key.activityID < $1.key.activityID }) {
                    if let tokenDiedAt = activity.tokenDiedAt, now - tokenDiedAt > settings.policy.alertExpiry {
                        followed.remove(activity.key)
                    } else if let moment = activity.cadence.nextAgeCheckAt, moment <= now {
                        evaluate(activity, of: followed)
                    }
                }
            }
        }
        // In place: copying a dictionary of several megabytes every minute fragments the heap, and memory grows.
        for key in phones.filter({ $1.activityCount == 0 && $1.budget.isFull(at: now) }).keys { phones[key] = nil }
    }

    /// Asks the cadence what to do for an activity now, and sends the push or schedules the next evaluation.
    ///
    /// Nothing is done for an activity that is no longer followed, which may still be in the heap or on a page of the log.
    /// - Parameters:
    ///   - activity: the activity.
    ///   - followed: its shard.
    ///   - isNext: whether the activity is the first of its push queue.
    func evaluate(_ activity: FollowedActivity, of followed: FollowedShard, isNext: Bool = false) {
        activity.wakeAt = nil
        guard !isDraining, !followed.isLeaving, shards[followed.shard] === followed,
            let adventure = followed.adventures[activity.key.adventureID],
            adventure.activities[activity.key.activityID] === activity
        else {
            return
        }
        let now = runtime.now()
        guard runtime.uptime() < followed.sendUntil else {
            // The lease may be lost: evaluate again after the next renewal.
            wake(activity, of: followed, at: now + settings.leaseDuration / 3)
            return
        }
        if let pause = pause(of: activity, at: now) {
            let decision = Decision.wait(until: pause, .routeStopped)
            metrics.decisions.add(to: DecisionLabels(decision))
            if activity.decisions.decided(decision, at: now) {
                followed.dirtyDecisions.insert(activity.key)
            }
            wake(activity, of: followed, at: pause)
            return
        }
        let environment = activity.activity.environment
        guard hasCapacity(in: environment), isNext || pushQueues[environment]?.isEmpty ?? true else {
            enqueue(activity, of: followed, at: now)
            return
        }
        let decision = activity.cadence.next(
            at: now,
            showing: adventure.statePosition,
            spending: &activity.phone.budget
        )
        reportDrops(of: activity, in: followed)
        metrics.decisions.add(to: DecisionLabels(decision))
        if activity.decisions.decided(decision, at: now) { followed.dirtyDecisions.insert(activity.key) }
        switch decision {
        case .send(let planned):
            send(planned, to: activity, showing: adventure, of: followed)
        case .wait(until: let moment, _):
            wake(activity, of: followed, at: moment)
        case .idle:
            break
        }
    }

    /// Enqueues an activity, even without pending state: only the cadence knows what to send when its turn comes.
    private func enqueue(_ activity: FollowedActivity, of followed: FollowedShard, at now: Timestamp) {
        let hasCome = pushQueues[activity.activity.environment, default: PushQueue()].add(
            activity,
            of: followed.shard
        )
        guard hasCome, activity.cadence.pendingSince != nil else { return }
        // Recorded once, at the beginning of the wait, whose end is unknown.
        let decision = Decision.wait(until: now, .concurrencyLimit)
        metrics.decisions.add(to: DecisionLabels(decision))
        if activity.decisions.decided(decision, at: now) { followed.dirtyDecisions.insert(activity.key) }
    }

    /// Whether one more push to an environment may be in flight.
    private func hasCapacity(in environment: PushEnvironment) -> Bool {
        inFlight[environment, default: 0] < settings.maxInFlight
    }

    /// Evaluates waiting activities as long as there is capacity.
    func evaluateQueued() {
        for environment in environments.sorted(by: { $0.rawValue < $1.rawValue }) {
            while hasCapacity(in: environment), let (activity, shard) = pushQueues[environment]?.popFirst() {
                if let followed = shards[shard] { evaluate(activity, of: followed, isNext: true) }
            }
        }
    }

    /// Returns until when an activity with pending state waits because its circuit breaker is open; nil if it need not wait.
    private func pause(of activity: FollowedActivity, at now: Timestamp) -> Timestamp? {
        guard activity.cadence.pendingSince != nil,
            let probe = breakers.blockedUntil(
                in: activity.activity.environment,
                for: activity.reputation,
                at: runtime.uptime()
            )
        else { return nil }
        // Jittered: the first activity is the probe, another one each time. Short enough to notice that the breaker closed.
        return now + min(probe - runtime.uptime(), settings.stoppedRouteDelay) + stoppedRouteDelay()
    }

    /// Records the drops of the cadence in decision log, metrics and log.
    func reportDrops(
        of activity: FollowedActivity,
        in followed: FollowedShard,
        because change: DecisionRecord.Trigger? = nil
    ) {
        for drop in activity.cadence.takeDrops() {
            activity.decisions.dropped(drop, because: change)
            metrics.decisions.add(to: .drop(drop.reason))
            followed.dirtyDecisions.insert(activity.key)
            logger.debug(
                "dropped a pending alert, state or end",
                metadata: metadata(
                    of: activity.key,
                    ["what": "\(drop.subject)", "position": "\(drop.position)", "reason": "\(drop.reason.text)"]
                )
            )
        }
    }

    func wake(_ activity: FollowedActivity, of followed: FollowedShard, at moment: Timestamp) {
        activity.wakeAt = moment
        wakeups.insert(Wakeup(at: moment, shard: followed.shard, activity: activity))
    }

    func send(
        _ planned: PlannedPush,
        to activity: FollowedActivity,
        showing adventure: FollowedAdventure,
        of followed: FollowedShard
    ) {
        activity.lastTimestamp = planned.timestamp
        guard let deviceToken = DeviceToken(bytes: activity.activity.pushToken) else {
            logger.error("a stored push token is empty or too long", metadata: metadata(of: activity.key, [:]))
            complete(planned, of: activity, .tokenDead, because: .invalidRequest)
            followed.dirtyActivities.insert(activity.key)
            return
        }
        if !adventure.isEncoded { encodedAdventures.add(adventure) }
        do {
            let payload = LiveActivityPayload(
                timestamp: planned.timestamp,
                event: event(of: planned, for: activity, showing: adventure),
                contentState: adventure.contentState(for: activity.seat, notice: planned.notice)
            )
            let request = APNsPush(
                deviceToken: deviceToken,
                topic: settings.topic,
                priority: planned.priority == .high ? .high : .low,
                expirationEpochSeconds: planned.expiration,
                id: OutgoingPush.apnsID(
                    of: activity.key,
                    generation: activity.activity.generation,
                    planned: planned
                ),
                payload: try payload.encoded(),
                // Afterwards another node may hold the lease.
                sendBy: followed.sendUntil
            )
            // The result was checked before; while the breaker is open, this push is its probe.
            _ = breakers.tryAcquire(activity.activity.environment, for: activity.reputation, at: runtime.uptime())
            pushes += 1
            activity.inFlight = pushes
            inFlight[activity.activity.environment, default: 0] += 1
            outgoing.yield(
                OutgoingPush(
                    number: pushes,
                    shard: followed.shard,
                    epoch: followed.lease.epoch,
                    key: activity.key,
                    generation: activity.activity.generation,
                    environment: activity.activity.environment,
                    planned: planned,
                    eventAt: planned.reason.isCausedByEvent ? adventure.eventTimes.time(of: planned.position) : nil,
                    requestedAt: planned.reason.carriesRequest ? activity.requestedAt : nil,
                    request: request
                )
            )
        } catch {
            logger.error("a push cannot be built", metadata: metadata(of: activity.key, ["error": "\(error)"]))
            complete(planned, of: activity, .rejected, because: .invalidRequest)
            if case .end = planned.event { activity.terminalState = .ended }
            followed.dirtyActivities.insert(activity.key)
        }
    }

    func event(
        of planned: PlannedPush,
        for activity: FollowedActivity,
        showing adventure: FollowedAdventure
    ) -> LiveActivityPayload.Event {
        switch planned.event {
        case .update(let staleDate):
            .update(
                staleDate: staleDate,
                relevanceScore: Relevance(of: adventure.stored.adventure, for: activity.seat).score,
                alert: planned.alert?.content
            )
        case .end(let dismissalDate):
            .end(dismissalDate: dismissalDate)
        }
    }
}

extension SendReason {
    /// Whether an event led to it, and not the age or the succession of the activity.
    fileprivate var isCausedByEvent: Bool {
        switch self {
        case .alert, .end(.adventureOver), .end(.requested), .newToken, .requested, .turn, .turnWithoutFrequentPushes,
            .turnDemoted, .low:
            true
        case .end(.tooOld), .end(.replaced), .activityEndsSoon: false
        }
    }

    /// Whether an operator who requested a push gets the report of this one: it is that push, or no push follows it.
    fileprivate var carriesRequest: Bool {
        switch self {
        case .requested, .end: true
        case .alert, .newToken, .turn, .turnWithoutFrequentPushes, .turnDemoted, .low, .activityEndsSoon: false
        }
    }
}
