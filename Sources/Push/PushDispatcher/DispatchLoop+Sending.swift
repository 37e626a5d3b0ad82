import APNsClient
import Encodings
import GameCore
import GameStore
import HeapModule
import LiveActivityContent
import Logging
import PushCadence
import PushRules
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    func decideWhatIsDue() {
        let now = runtime.now()
        while let next = wakeups.min, next.at <= now {
            wakeups.removeMin()
            guard next.activity.wakeAt == next.at, let followed = shards[next.shard] else { continue }
            consider(next.activity, of: followed)
        }
    }

    /// Looks, once a minute, for activities whose age says something new, and forgets what no longer matters.
    ///
    /// They are not in the heap for that: each of them would stay in there for hours after its end.
    func considerAges() {
        let now = runtime.now()
        guard now >= agesDueAt else { return }
        agesDueAt = now + Self.ageInterval
        // In an order of their own, so that the same life has the same course wherever it is lived again.
        for followed in shards.values.sorted(by: { $0.shard < $1.shard }) {
            for adventure in followed.adventures.values.sorted(by: { $0.stored.id < $1.stored.id }) {
                for activity in adventure.activities.values.sorted(by: { $0.key.activityID < $1.key.activityID }) {
                    if let diedAt = activity.diedAt, now - diedAt > settings.policy.alertExpiry {
                        followed.remove(activity.key)
                    } else if let moment = activity.cadence.growsOldAt, moment <= now {
                        consider(activity, of: followed)
                    }
                }
            }
        }
        // In place: a copy of what is megabytes leaves a hole each minute that small things nibble at, and memory grows.
        for key in phones.filter({ $1.cards == 0 && $1.budget.isFull(at: now) }).keys { phones[key] = nil }
    }

    /// Asks the cadence what an activity wants now: a push, a later look, or nothing.
    ///
    /// What the loop holds no more may still be in the heap, or with a page of the log that was read meanwhile: it wants nothing.
    /// - Parameters:
    ///   - activity: which.
    ///   - followed: its shard.
    ///   - isNext: whether no other waits for room before it.
    func consider(_ activity: FollowedActivity, of followed: FollowedShard, isNext: Bool = false) {
        activity.wakeAt = nil
        guard !isDraining, !followed.isLeaving, shards[followed.shard] === followed,
            let adventure = followed.adventures[activity.key.adventureID],
            adventure.activities[activity.key.activityID] === activity
        else {
            return
        }
        let now = runtime.now()
        guard runtime.uptime() < followed.sendUntil else {
            // The lease may be gone: look again when the next renewal has been answered.
            wake(activity, of: followed, at: now + settings.leaseDuration / 3)
            return
        }
        if let pause = pause(of: activity, at: now) {
            let decision = Decision.wait(until: pause, .routeStopped)
            metrics.decisions.add(to: DecisionLabels(decision))
            if activity.decisions.decided(decision, at: now) {
                followed.undocumented.insert(activity.key)
            }
            wake(activity, of: followed, at: pause)
            return
        }
        let environment = activity.activity.environment
        guard hasRoom(in: environment), isNext || waitingForRoom[environment]?.isEmpty ?? true else {
            waitForRoom(activity, of: followed, at: now)
            return
        }
        let decision = activity.cadence.next(
            at: now,
            showing: adventure.through,
            spending: &activity.phone.budget
        )
        reportDrops(of: activity, in: followed)
        metrics.decisions.add(to: DecisionLabels(decision))
        if activity.decisions.decided(decision, at: now) { followed.undocumented.insert(activity.key) }
        switch decision {
        case .send(let planned):
            send(planned, to: activity, showing: adventure, of: followed)
        case .wait(until: let moment, _):
            wake(activity, of: followed, at: moment)
        case .idle:
            break
        }
    }

    /// One that owes nothing waits too: what it may want only its cadence knows, whose turn it is then.
    private func waitForRoom(_ activity: FollowedActivity, of followed: FollowedShard, at now: Timestamp) {
        let hasCome = waitingForRoom[activity.activity.environment, default: WaitingRoom()].add(
            activity,
            of: followed.shard
        )
        guard hasCome, activity.cadence.owedSince != nil else { return }
        // Told once, when it begins: nobody knows until when.
        let decision = Decision.wait(until: now, .room)
        metrics.decisions.add(to: DecisionLabels(decision))
        if activity.decisions.decided(decision, at: now) { followed.undocumented.insert(activity.key) }
    }

    /// Whether one more push to an environment may be under way.
    private func hasRoom(in environment: PushEnvironment) -> Bool {
        underWay[environment, default: 0] < settings.mostUnderWay
    }

    /// Asks those that waited until answers came.
    func considerThoseWaitingForRoom() {
        for environment in environments.sorted(by: { $0.rawValue < $1.rawValue }) {
            while hasRoom(in: environment), let (activity, shard) = waitingForRoom[environment]?.popFirst() {
                if let followed = shards[shard] { consider(activity, of: followed, isNext: true) }
            }
        }
    }

    /// Until when an activity that owes something waits, since its route to APNs is stopped; nil when it need not.
    private func pause(of activity: FollowedActivity, at now: Timestamp) -> Timestamp? {
        guard activity.cadence.owedSince != nil,
            let probe = routes.pause(
                of: activity.activity.environment,
                for: activity.standing,
                at: runtime.uptime()
            )
        else { return nil }
        // Not all at once: the first to come is the probe, and another one each time. Soon enough to see the route go on.
        return now + min(probe - runtime.uptime(), settings.pauseAfterStop) + pauseAfterStop()
    }

    /// What was owed and never will be sent, with the reason, for whoever asks where an alert is.
    func reportDrops(
        of activity: FollowedActivity,
        in followed: FollowedShard,
        because change: RecordedDecision.Change? = nil
    ) {
        for drop in activity.cadence.takeDrops() {
            activity.decisions.dropped(drop, because: change)
            metrics.decisions.add(to: .drop(drop.reason))
            followed.undocumented.insert(activity.key)
            logger.debug(
                "dropped what was owed",
                metadata: metadata(
                    of: activity.key,
                    ["what": "\(drop.subject)", "position": "\(drop.position)", "reason": "\(drop.reason)"]
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
            complete(planned, of: activity, .tokenDead, because: .ourselves)
            followed.unwritten.insert(activity.key)
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
                // The lease may be another node's then.
                sendBy: followed.sendUntil
            )
            // That it may was asked before; where the route is stopped, this is its probe.
            _ = routes.takes(activity.activity.environment, for: activity.standing, at: runtime.uptime())
            pushes += 1
            activity.underWay = pushes
            underWay[activity.activity.environment, default: 0] += 1
            outgoing.yield(
                OutgoingPush(
                    number: pushes,
                    shard: followed.shard,
                    epoch: followed.lease.epoch,
                    key: activity.key,
                    generation: activity.activity.generation,
                    environment: activity.activity.environment,
                    planned: planned,
                    happenedAt: planned.reason.isOfAnEvent ? adventure.moments.moment(of: planned.position) : nil,
                    askedAt: planned.reason.answersWhoAsked ? activity.askedAt : nil,
                    request: request
                )
            )
        } catch {
            logger.error("a push cannot be made", metadata: metadata(of: activity.key, ["error": "\(error)"]))
            complete(planned, of: activity, .refusedForever, because: .ourselves)
            if case .end = planned.event { activity.fate = .ended }
            followed.unwritten.insert(activity.key)
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
    /// Whether something that happened led to it; else a card's age did.
    fileprivate var isOfAnEvent: Bool {
        switch self {
        case .alert, .end(.adventureOver), .end(.asked), .newToken, .asked, .turn, .turnWithoutFrequentPushes,
            .turnDemoted, .low:
            true
        case .end(.tooOld), .end(.replaced), .cardEndsSoon: false
        }
    }

    /// Whether an operator who asked for a push is told what came of this one: it is that push, or nothing follows it.
    fileprivate var answersWhoAsked: Bool {
        switch self {
        case .asked, .end: true
        case .alert, .newToken, .turn, .turnWithoutFrequentPushes, .turnDemoted, .low, .cardEndsSoon: false
        }
    }
}
