import Encodings
import GameCore
import GameStore
import HeapModule
import Logging
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics
import ServiceRuntime

// The evaluation of activities: its time, and the execution of the cadence's decision.

extension DispatchLoop {
    /// Evaluates the activities whose wait is over.
    func evaluateDue() {
        let now = runtime.now()
        while let next = wakeups.min, next.at <= now {
            wakeups.removeMin()
            guard next.activity.wakeAt == next.at, let followed = shards[next.shard] else { continue }
            evaluate(next.activity, of: followed)
        }
    }

    /// Evaluates, once a minute, the activities whose age requires a push, and removes activities whose token died long
    /// ago and full budgets without activities.
    ///
    /// The heap has no entries for ages, since each would stay there for hours after the end of its activity.
    func evaluateAges() {
        let now = runtime.now()
        guard now >= agesDueAt else { return }
        agesDueAt = now + Self.ageInterval
        // Sorted, so that a seeded run is reproducible.
        for followed in shards.values.sorted(by: { $0.shard < $1.shard }) {
            for adventure in followed.adventures.values.sorted(by: { $0.id < $1.id }) {
                for activity in adventure.sortedActivities {
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

    /// Evaluates an activity: gets the decision of its cadence, and sends the push or schedules the next evaluation.
    ///
    /// Nothing is done for an activity that is no longer followed, which may still be in the heap or on a page of the
    /// log.
    /// - Parameters:
    ///   - activity: the activity.
    ///   - followed: its shard.
    ///   - isNext: whether the activity is the first of its push queue.
    func evaluate(_ activity: FollowedActivity, of followed: FollowedShard, isNext: Bool = false) {
        activity.wakeAt = nil
        guard !isDraining, !followed.isLeaving, shards[followed.shard] === followed,
            let adventure = followed.adventures[activity.key.adventureID],
            adventure.activities[activity.key.activityID] === activity, !activity.isClosed
        else {
            return
        }
        defer { followed.notePending(activity) }
        guard followed.isCaughtUp else {
            followed.touchedAdventures.insert(adventure.id)
            return
        }
        let now = runtime.now()
        guard runtime.uptime() < followed.sendUntil else {
            // The lease may be lost: evaluate again after the next renewal.
            wake(activity, of: followed, at: now + settings.leaseDuration / 3)
            return
        }
        if let pause = pause(of: activity, at: now) {
            record(.wait(until: pause, .breakerOpen), about: activity, in: followed, at: now)
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
            showing: adventure.changedAt,
            spending: &activity.phone.budget
        )
        reportDrops(of: activity, in: followed)
        record(decision, about: activity, in: followed, at: now)
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
        let isNew = pushQueues[activity.activity.environment, default: PushQueue()].add(
            activity,
            of: followed.shard
        )
        guard isNew, activity.cadence.pendingSince != nil else { return }
        // Recorded once, at the beginning of the wait, whose end is unknown.
        record(.wait(until: now, .concurrencyLimit), about: activity, in: followed, at: now)
    }

    /// Records a decision in the metrics and the decision log.
    private func record(
        _ decision: CadenceDecision,
        about activity: FollowedActivity,
        in followed: FollowedShard,
        at now: Timestamp
    ) {
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

    /// Returns the time until which an activity with pending state waits because its circuit breaker is open; nil if
    /// it need not wait.
    private func pause(of activity: FollowedActivity, at now: Timestamp) -> Timestamp? {
        guard activity.cadence.pendingSince != nil,
            let probe = breakers.blockedUntil(
                in: activity.activity.environment,
                for: activity.reputation,
                at: runtime.uptime()
            )
        else { return nil }
        // Jittered, so that each time another activity is first and sends the probe. The wait is short enough to notice
        // soon that the breaker closed.
        return now + min(probe - runtime.uptime(), settings.openBreakerDelay) + openBreakerDelay()
    }

    /// Records the drops of the cadence in the decision log, the metrics and the log.
    func reportDrops(
        of activity: FollowedActivity,
        in followed: FollowedShard,
        because change: DecisionRecord.Trigger? = nil
    ) {
        for drop in activity.cadence.takeDrops() {
            activity.decisions.dropped(drop, because: change)
            metrics.decisions.add(to: .drop(drop.reason))
            followed.dirtyDecisions.insert(activity.key)
            // What was dropped must not be pending again after a crash.
            followed.dirtyActivities.insert(activity.key)
            logger.debug(
                "dropped a pending alert, state or end",
                metadata: metadata(
                    of: activity.key,
                    ["what": "\(drop.subject)", "reason": "\(drop.reason.text)"]
                )
            )
        }
    }

    func wake(_ activity: FollowedActivity, of followed: FollowedShard, at moment: Timestamp) {
        activity.wakeAt = moment
        wakeups.insert(Wakeup(at: moment, shard: followed.shard, activity: activity))
    }
}
