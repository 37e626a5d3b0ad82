import APNsClient
import Foundation
import GameCore
import GameStore
import HeapModule
import LiveActivityContent
import Logging
import PushCadence
import PushRules

/// The dispatcher's state and one turn of its loop.
///
/// An actor, so that a stop can be shielded from cancellation; only the dispatcher's loop calls it, one call at a time.
///
/// A round renews leases, takes answers, reads the logs, decides, and writes down what was sent. The database may fail
/// in any of these: a round then stops where it is, and the next one goes on, since everything is held against
/// positions.
actor DispatchLoop {
    /// How many shards a round takes over at most, so that a node that starts alone still sends meanwhile.
    private static let shardsPerRound = 32
    /// How long the loop waits for the database after it has failed.
    private static let pauseAfterFailure = Duration.seconds(1)
    /// How many entries of a log one query reads.
    private static let logPage = 1_000
    /// How many pages of one log a round reads, so that a long log does not keep the other shards waiting.
    private static let pagesPerRound = 10
    /// What a `Retry-After` may ask for at most.
    private static let longestRetryAfterSeconds = 3_600
    /// How long an activity waits, give or take a half, when only an operator can mend what is wrong.
    private static let pauseAfterStop = Duration.seconds(30)

    private let store: GameStore
    private let settings: DispatcherSettings
    private let surroundings: Surroundings
    private let news: Doorbell
    private let holder: UUID
    private let answers: AnswerBox
    private let environments: Set<PushEnvironment>
    private let outgoing: AsyncStream<OutgoingPush>.Continuation
    private let logger: Logger
    private let clock = ContinuousClock()

    private var shards: [Shard: FollowedShard] = [:]
    private var wakeups = Heap<Wakeup>()
    private var hasFailed = false
    private var isBehind = false
    private var isDraining = false
    private var pushes = 0
    private var underWay = 0
    private var leasesDueAt: ContinuousClock.Instant
    private var settleDueAt: ContinuousClock.Instant

    init(
        store: GameStore,
        settings: DispatcherSettings,
        surroundings: Surroundings,
        news: Doorbell,
        holder: UUID,
        answers: AnswerBox,
        environments: Set<PushEnvironment>,
        outgoing: AsyncStream<OutgoingPush>.Continuation,
        logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.surroundings = surroundings
        self.news = news
        self.holder = holder
        self.answers = answers
        self.environments = environments
        self.outgoing = outgoing
        self.logger = logger
        leasesDueAt = clock.now
        settleDueAt = clock.now
    }

    /// How long the loop may wait for news: until the next activity may be pushed, at most until the next poll.
    var pause: Duration {
        if hasFailed { return Self.pauseAfterFailure }
        if isBehind { return .zero }
        guard let next = wakeups.min else { return settings.pollInterval }
        return max(.zero, min(settings.pollInterval, next.at - surroundings.now()))
    }

    /// One turn of the loop; what is to be sent goes out as soon as it is decided.
    func round() async {
        hasFailed = false
        isBehind = false
        takeAnswers()
        await reporting("free shards could not be taken over") {
            if clock.now >= leasesDueAt { try await takeFreeShards() }
        }
        await reporting("the heads of the logs could not be read") { try await follow() }
        decideWhatIsDue()
        await settleIfDue()
    }

    /// Waits for the answers under way, writes what was sent and gives the leases back.
    func drain() async {
        let deadline = clock.now + settings.drainLimit
        isDraining = true
        takeAnswers()
        while underWay > 0, clock.now < deadline {
            await news.wait(atMost: settings.pollInterval)
            takeAnswers()
        }
        if underWay > 0 {
            logger.warning("stopping without the answers to some pushes", metadata: ["pushes": "\(underWay)"])
        }
        hasFailed = false
        await settleAll()
        let leases = shards.values.map(\.lease)
        await reporting("leases could not be given back; they expire by themselves") {
            try await store.giveBack(leases, holder: holder)
        }
        shards.removeAll()
    }

    private func reporting(_ failure: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            hasFailed = true
            logger.error("\(failure)", metadata: ["error": "\(error)"])
        }
    }
}

// MARK: - Leases

extension DispatchLoop {
    /// Renews the leases; called by a task of its own, so that nothing that takes long in a round loses them.
    func renewLeases() async {
        let held = shards.values.map(\.lease)
        guard !held.isEmpty else { return }
        await reporting("leases could not be renewed") {
            let sendUntil = newSendUntil()
            let kept = try await store.renew(held, holder: holder, for: settings.leaseDuration)
            for lease in held where shards[lease.shard]?.lease.epoch == lease.epoch {
                if kept.contains(lease.shard) {
                    shards[lease.shard]?.sendUntil = sendUntil
                } else {
                    drop(lease.shard)
                }
            }
        }
    }

    private func takeFreeShards() async throws {
        // Asked again soon when this fails half-way.
        leasesDueAt = clock.now + settings.leaseDuration / 10
        let free = try await store.freeShards()
        // In an order of its own, so that nodes that start together get in each other's way little.
        var generator = surroundings.generator()
        for shard in free.shuffled(using: &generator).prefix(Self.shardsPerRound) {
            let sendUntil = newSendUntil()
            guard let lease = try await store.takeLease(of: shard, holder: holder, for: settings.leaseDuration) else {
                continue
            }
            let followed = FollowedShard(lease: lease, sendUntil: sendUntil)
            // A shard that cannot be loaded does not hold up the others; its lease runs out, and it is tried again.
            await reporting("shard \(shard.rawValue) could not be taken over") {
                try await load(followed)
                shards[shard] = followed
            }
        }
        if free.count <= Self.shardsPerRound {
            leasesDueAt = clock.now + settings.leaseDuration / 3
        } else {
            // Nobody's phones are pushed to while a shard is free: the next part follows without a pause.
            leasesDueAt = clock.now
            isBehind = true
        }
    }

    /// The end of a lease asked for now, on this node's clock, with a fifth to spare for what is on its way then.
    private func newSendUntil() -> ContinuousClock.Instant {
        clock.now + settings.leaseDuration * 4 / 5
    }

    private func drop(_ shard: Shard) {
        logger.warning("lost the lease of a shard", metadata: ["shard": "\(shard.rawValue)"])
        for adventure in shards[shard]?.adventures.values ?? [:].values {
            for activity in adventure.activities.values { activity.isFollowed = false }
        }
        shards[shard] = nil
    }

    /// Loads the live activities of a shard just taken over.
    ///
    /// Its log is read from the checkpoint on afterwards, which brings everything that they are owed.
    private func load(_ followed: FollowedShard) async throws {
        let activities = try await store.liveActivities(of: followed.shard)
        guard !activities.isEmpty else { return }
        let ids = Array(Set(activities.map(\.adventureID))).sorted()
        let position = try await store.heads(of: [followed.shard]).first?.head ?? followed.tail
        try await refresh(ids, of: followed, through: position)
        for activity in activities {
            guard let adventure = followed.adventures[activity.adventureID] else { continue }
            _ = follow(activity, in: adventure)
        }
    }
}

// MARK: - Reading the log

extension DispatchLoop {
    private func follow() async throws {
        guard !shards.isEmpty else { return }
        for (shard, head) in try await store.heads(of: shards.keys.sorted()) {
            guard let followed = shards[shard], head > followed.tail else { continue }
            // A shard that cannot be read does not hold up the others.
            var touched: Set<AdventureID> = []
            await reporting("the log of shard \(shard.rawValue) could not be followed") {
                var pages = 0
                while followed.tail < head, pages < Self.pagesPerRound {
                    touched.formUnion(try await readPage(of: followed, head: head))
                    pages += 1
                }
            }
            if followed.tail < head { isBehind = true }
            // Only now: a later page may cancel what an earlier one asked for.
            considerAll(of: touched, in: followed)
        }
    }

    /// Reads entries and lets the activities observe them.
    /// - Returns: the adventures with activities that it was about.
    private func readPage(of followed: FollowedShard, head: Int64) async throws -> [AdventureID] {
        let records = try await store.log(of: followed.shard, after: followed.tail, limit: Self.logPage)
        guard let last = records.last else {
            throw StoreError.lostRows(statement: "log.tail", expected: Int(head - followed.tail), changed: 0)
        }

        let registered = registrations(in: records)
        let concerned = Set(records.map(\.adventureID))
            .filter { followed.adventures[$0] != nil || registered[$0] != nil }
            .sorted()
        let activities = try await load(registered)
        try await refresh(concerned, of: followed, through: last.position, headlines: headlines(in: records))

        // Nothing above changed what is observed, so a failure up to here reads the page again.
        followed.tail = last.position
        for record in records {
            guard let adventure = followed.adventures[record.adventureID] else { continue }
            observe(record, in: adventure, of: followed, registered: activities)
        }
        return concerned
    }

    private func considerAll(of adventures: Set<AdventureID>, in followed: FollowedShard) {
        for id in adventures.sorted() {
            guard let adventure = followed.adventures[id] else { continue }
            for activity in adventure.activities.values.sorted(by: { $0.key.activityID < $1.key.activityID }) {
                consider(activity, of: followed)
            }
            if adventure.activities.isEmpty { followed.adventures[id] = nil }
        }
    }

    private func registrations(in records: [LogRecord]) -> [AdventureID: [ActivityID]] {
        var registered: [AdventureID: [ActivityID]] = [:]
        for record in records {
            if case .activityRegistered(let id, _) = record.entry {
                registered[record.adventureID, default: []].append(id)
            }
        }
        return registered
    }

    private func load(_ registered: [AdventureID: [ActivityID]]) async throws -> [ActivityKey: Activity] {
        var activities: [ActivityKey: Activity] = [:]
        for (adventureID, ids) in registered.sorted(by: { $0.key < $1.key }) {
            for activity in try await store.activities(ids, of: adventureID) {
                activities[ActivityKey(adventureID: adventureID, activityID: activity.id)] = activity
            }
        }
        return activities
    }

    /// The last event of each adventure that a card should tell.
    private func headlines(in records: [LogRecord]) -> [AdventureID: Event] {
        var headlines: [AdventureID: Event] = [:]
        for record in records {
            if case .event(let event, _) = record.entry, event.isTold { headlines[record.adventureID] = event }
        }
        return headlines
    }

    /// Reads the newest state of some adventures, after the log was read up to `position`.
    private func refresh(
        _ ids: [AdventureID],
        of followed: FollowedShard,
        through position: Int64,
        headlines: [AdventureID: Event] = [:]
    ) async throws {
        guard !ids.isEmpty else { return }
        for result in try await store.adventures(ids, of: followed.shard) {
            guard case .success(let stored) = result else {
                logger.error("an adventure cannot be shown", metadata: ["error": "\(result)"])
                continue
            }
            if let adventure = followed.adventures[stored.id] {
                adventure.update(stored, headline: headlines[stored.id], through: position)
                continue
            }
            let headline: Event
            if let known = headlines[stored.id] {
                headline = known
            } else {
                headline = try await lastTold(of: stored)
            }
            followed.adventures[stored.id] = FollowedAdventure(stored, headline: headline, through: position)
        }
    }

    private func lastTold(of stored: StoredAdventure) async throws -> Event {
        let beginning = Event.adventureStarted(kind: stored.adventure.kind)
        let newest = stored.adventure.sequence
        var reach = 16
        while true {
            let events: [StoredEvent]
            do {
                events = try await store.events(of: stored.id, after: max(0, newest - reach), limit: reach)
            } catch let error as StoreError {
                logger.error("an adventure's last event cannot be read", metadata: ["error": "\(error)"])
                return beginning
            }
            if let told = events.last(where: { $0.event.isTold }) { return told.event }
            guard reach < newest else { return beginning }
            reach *= 4
        }
    }

    private func observe(
        _ record: LogRecord,
        in adventure: FollowedAdventure,
        of followed: FollowedShard,
        registered: [ActivityKey: Activity]
    ) {
        let now = surroundings.now()
        switch record.entry {
        case .event(let event, _):
            for activity in adventure.activities.values {
                let rule = PushRules.rule(for: event, after: adventure.stored.adventure, receiver: activity.seat)
                // At the time of the event, not of its reading: an alert that comes late is late.
                activity.cadence.observe(rule, position: record.position, at: record.at)
            }
        case .unreadable(let error):
            logger.error("an entry of the log cannot be read", metadata: ["error": "\(error)"])
            for activity in adventure.activities.values {
                activity.cadence.owesCurrentState(position: record.position, at: now)
            }
        case .activityRegistered(let id, let sequence):
            let key = ActivityKey(adventureID: record.adventureID, activityID: id)
            guard let newest = registered[key], newest.state == .live else { return }
            // What was settled before, by this node or another, is not owed again.
            guard record.position > newest.settledPosition else { return }
            guard serves(newest) else {
                followed.remove(key)
                return
            }
            guard let activity = followed.activity(key) ?? follow(newest, in: adventure) else { return }
            activity.activity = newest
            activity.backoff.reset()
            activity.hasBeenExcused = false
            // It has had its end, or had none to get: the row of the new token is closed as well.
            if activity.fate == .ended { followed.unwritten.insert(key) }
            if activity.fate == .dead { activity.fate = .live }
            activity.cadence.owesCurrentState(position: record.position, at: now)
            // Over already when the phone registered; an end that came later is in the log after this entry.
            if adventure.stored.endedAt != nil, adventure.stored.adventure.sequence == sequence {
                activity.cadence.ended(position: record.position, at: now)
            }
        case .activityReleased(let id):
            adventure.activities.removeValue(forKey: id)?.isFollowed = false
        }
    }

    /// Whether this node sends to the environment of an activity's token; what nobody can send must not hold back the
    /// checkpoint.
    private func serves(_ activity: Activity) -> Bool {
        guard !environments.contains(activity.environment) else { return true }
        let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.id)
        logger.warning(
            "an activity's environment is not served here",
            metadata: metadata(of: key, ["environment": "\(activity.environment.rawValue)"])
        )
        return false
    }

    /// Starts to follow an activity; nil when its player has no seat in the adventure, or nobody here can send to it.
    private func follow(_ activity: Activity, in adventure: FollowedAdventure) -> FollowedActivity? {
        guard serves(activity) else { return nil }
        let seat = adventure.stored.adventure.heroes.firstIndex { $0.playerID == activity.playerID }
        guard let seat else { return nil }
        let followed = FollowedActivity(
            activity,
            seat: Seat(rawValue: seat),
            cadence: ActivityCadence(
                policy: settings.policy,
                frequentPushesEnabled: activity.frequentPushesEnabled,
                resuming: activity.lastTimestamp > 0 ? activity.lastTimestamp : nil,
                settledThrough: activity.settledPosition
            )
        )
        adventure.activities[activity.id] = followed
        return followed
    }
}

// MARK: - Deciding and sending

extension DispatchLoop {
    private func decideWhatIsDue() {
        let now = surroundings.now()
        while let next = wakeups.min, next.at <= now {
            wakeups.removeMin()
            guard next.activity.isFollowed, next.activity.wakeAt == next.at, let followed = shards[next.shard] else {
                continue
            }
            consider(next.activity, of: followed)
        }
    }

    /// Asks the cadence what an activity wants now: a push, a later look, or nothing.
    private func consider(_ activity: FollowedActivity, of followed: FollowedShard) {
        activity.wakeAt = nil
        guard !isDraining, activity.isFollowed, let adventure = followed.adventures[activity.key.adventureID] else {
            return
        }
        let now = surroundings.now()
        defer { report(activity.cadence.takeDrops(), of: activity.key) }
        guard clock.now < followed.sendUntil else {
            // The lease may be gone: look again when the next renewal has been answered.
            wake(activity, of: followed, at: now + settings.leaseDuration / 3)
            return
        }
        switch activity.cadence.next(at: now, showing: adventure.through) {
        case .send(let planned):
            send(planned, to: activity, showing: adventure, of: followed)
        case .wait(until: let moment, _):
            wake(activity, of: followed, at: moment)
        case .idle:
            break
        }
    }

    /// What was owed and never will be sent, with the reason, for whoever asks where an alert is.
    private func report(_ drops: [Drop], of key: ActivityKey) {
        for drop in drops {
            logger.debug(
                "dropped what was owed",
                metadata: metadata(
                    of: key,
                    ["what": "\(drop.subject)", "position": "\(drop.position)", "reason": "\(drop.reason)"]
                )
            )
        }
    }

    private func wake(_ activity: FollowedActivity, of followed: FollowedShard, at moment: Timestamp) {
        activity.wakeAt = moment
        wakeups.insert(Wakeup(at: moment, shard: followed.shard, activity: activity))
    }

    private func send(
        _ planned: PlannedPush,
        to activity: FollowedActivity,
        showing adventure: FollowedAdventure,
        of followed: FollowedShard
    ) {
        activity.lastTimestamp = planned.timestamp
        guard let deviceToken = DeviceToken(bytes: activity.activity.pushToken) else {
            logger.error("a stored push token is empty or too long", metadata: metadata(of: activity.key, [:]))
            activity.cadence.completed(.tokenDead, at: surroundings.now())
            activity.fate = .dead
            followed.unwritten.insert(activity.key)
            return
        }
        do {
            let payload = LiveActivityPayload(
                timestamp: planned.timestamp,
                event: event(of: planned, for: activity, showing: adventure),
                contentState: adventure.contentState(for: activity.seat)
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
                payload: try payload.encoded()
            )
            pushes += 1
            activity.underWay = pushes
            underWay += 1
            outgoing.yield(
                OutgoingPush(
                    number: pushes,
                    shard: followed.shard,
                    epoch: followed.lease.epoch,
                    key: activity.key,
                    generation: activity.activity.generation,
                    environment: activity.activity.environment,
                    planned: planned,
                    request: request,
                    sendUntil: followed.sendUntil
                )
            )
        } catch {
            logger.error("a push cannot be made", metadata: metadata(of: activity.key, ["error": "\(error)"]))
            activity.cadence.completed(.refusedForever, at: surroundings.now())
            if case .end = planned.event { activity.fate = .ended }
            followed.unwritten.insert(activity.key)
        }
    }

    private func event(
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

    private func takeAnswers() {
        for answer in answers.takeAll() {
            underWay -= 1
            take(answer)
        }
    }

    private func take(_ answer: PushAnswer) {
        let push = answer.push
        // An answer that comes after the lease was lost, or the activity let go of, has nothing to change.
        guard
            let followed = shards[push.shard], followed.lease.epoch == push.epoch,
            let activity = followed.activity(push.key), activity.underWay == push.number
        else {
            return
        }
        activity.underWay = nil
        let completion = completion(of: answer, for: activity)
        activity.cadence.completed(completion, at: surroundings.now())
        switch completion {
        case .accepted:
            activity.backoff.reset()
            if case .end = push.planned.event, push.generation == activity.activity.generation {
                activity.fate = .ended
            }
        case .tokenDead:
            activity.fate = .dead
        case .refusedForever:
            if case .end = push.planned.event { activity.fate = .ended }
        case .retryLater:
            break
        }
        followed.unwritten.insert(push.key)
        consider(activity, of: followed)
    }

    /// What an answer means for the activity, told to the operator where it is more than a passing fault.
    private func completion(of answer: PushAnswer, for activity: FollowedActivity) -> Completion {
        switch answer.outcome {
        case .accepted:
            return .accepted
        case .unknown(let why), .neverSent(let why):
            logger.info("a push got no answer", metadata: metadata(of: answer.push.key, ["why": "\(why)"]))
            return .retryLater(after: activity.backoff.wait(randomBits: surroundings.randomBits()))
        case .refused(let refusal):
            logger.log(
                level: refusal.reaction == .forgetToken ? .info : .warning,
                "APNs refused a push",
                metadata: metadata(
                    of: answer.push.key,
                    ["status": "\(refusal.status)", "reason": "\(refusal.reason)"]
                )
            )
            return completion(of: refusal, to: answer.push, for: activity)
        }
    }

    private func completion(
        of refusal: APNsRefusal,
        to push: OutgoingPush,
        for activity: FollowedActivity
    ) -> Completion {
        let asked = Duration.seconds(min(max(0, refusal.retryAfterSeconds ?? 0), Self.longestRetryAfterSeconds))
        switch refusal.reaction {
        case .retry, .renewToken, .reconnect:
            return .retryLater(after: activity.backoff.wait(randomBits: surroundings.randomBits(), atLeast: asked))
        case .stopRoute:
            // Nothing but an operator can mend this: tried again now and then, so that the mending shows.
            let fraction = Double(surroundings.randomBits() >> 11) / Double(1 << 53)
            return .retryLater(after: Self.pauseAfterStop * (0.5 + fraction))
        case .dropMessage:
            return .refusedForever
        case .forgetToken:
            // Of an older token than the one that the app has registered since: the new one is tried at once.
            if push.generation != activity.activity.generation { return .retryLater(after: .zero) }
            let registered = activity.activity.tokenRegisteredAt.epochMilliseconds
            let isOlder = refusal.tokenInvalidSinceMilliseconds.map { $0 < registered } ?? false
            guard isOlder, !activity.hasBeenExcused else { return .tokenDead }
            // APNs found the token dead before the app registered it: it may be good again, so it gets one more try.
            activity.hasBeenExcused = true
            return .retryLater(after: activity.backoff.wait(randomBits: surroundings.randomBits()))
        }
    }

    private func metadata(of key: ActivityKey, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["adventure": "\(key.adventureID)", "activity": "\(key.activityID)"]) { $1 }
    }
}

// MARK: - Writing down what was sent

extension DispatchLoop {
    private func settleIfDue() async {
        guard clock.now >= settleDueAt else { return }
        settleDueAt = clock.now + settings.settleInterval
        await settleAll()
    }

    /// Shard by shard, until the database fails: the next time goes on.
    private func settleAll() async {
        for followed in shards.values.sorted(by: { $0.shard < $1.shard }) where !hasFailed {
            await settle(followed)
        }
    }

    private func settle(_ followed: FollowedShard) async {
        let checkpoint = followed.checkpoint
        let keys = followed.unwritten
        guard checkpoint > followed.writtenCheckpoint || !keys.isEmpty else { return }
        let marks = keys.compactMap { followed.activity($0) }.map { activity in
            ActivityMark(
                adventureID: activity.key.adventureID,
                activityID: activity.key.activityID,
                generation: activity.activity.generation,
                lastTimestamp: activity.lastTimestamp,
                settledPosition: activity.cadence.settledThrough,
                state: activity.fate
            )
        }
        await reporting("what was sent for shard \(followed.shard.rawValue) could not be written") {
            let isHeld = try await store.settle(
                followed.lease,
                holder: holder,
                checkpoint: checkpoint,
                marks: marks
            )
            guard isHeld else {
                drop(followed.shard)
                return
            }
            followed.writtenCheckpoint = checkpoint
            followed.unwritten.subtract(keys)
            for mark in marks where mark.state != .live {
                let key = ActivityKey(adventureID: mark.adventureID, activityID: mark.activityID)
                // A token that came in the meantime has brought the activity back to life.
                if followed.activity(key)?.activity.generation == mark.generation { followed.remove(key) }
            }
        }
    }
}
