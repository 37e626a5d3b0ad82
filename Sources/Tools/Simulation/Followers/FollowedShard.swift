package import Encodings
package import GameCore
package import GameLog
package import PushCadence
package import PushDispatch
import PushRules
import Synchronization

/// The follower of one shard with a database, APNs and a clock around it.
///
/// It drives the follower as a dispatcher does, and describes each effect in a few words (``takeLines()``). After every
/// step it checks what must be true at all times: of each push, whether it may be sent at all; of the follower, whether
/// something wakes each activity for which something is pending.
package final class FollowedShard {
    package static let start = Timestamp(epochSeconds: 1_790_000_000)
    private static let startOfUptime = ContinuousClock().now
    package static let environment = PushEnvironment.simulator
    /// How long a lease allows pushes, if it is not renewed.
    package static let leaseDuration = Duration.seconds(1_000_000)
    /// How long after the last push of a node another one acquires the lease that the node has not released.
    static let expiry = Duration.seconds(3)

    package var database: ShardDatabase
    package private(set) var follower: ShardFollower
    private(set) var context: FollowerContext
    package private(set) var now = FollowedShard.start
    private var breaker = CircuitBreaker()
    private var lease: ShardLease
    private let settings: FollowerContext.Settings
    private let randomBits: @Sendable () -> UInt64

    /// Whether the log and the clock are not followed, as if the database did not respond.
    package var isBlind = false
    /// The row of the shard with which the next ``follow()`` begins, although the database has a later one by then.
    package var staleHead: ShardHead?
    /// The maximum number of entries of a page of the log.
    package var pageSize = 1_000
    private(set) var names: [ActivityID: String] = [:]
    /// All pushes so far, of all nodes; they are numbered from 1.
    package private(set) var pushes: [PushOrder] = []
    /// The indices of the pushes that are not answered yet.
    package private(set) var unanswered: [Int] = []
    private var batch: FlushBatch?
    package private(set) var checks: PushChecks
    /// The push whose answer the follower takes.
    private var answering: PushOrder?
    private var lines: [String] = []

    /// By how many seconds the first timestamp of the next holder of the lease is ahead of the clock.
    private let leaseLead: Int64

    /// Creates the follower of a shard whose log was read by the last holder of its lease.
    /// - Parameters:
    ///   - database: the shard.
    ///   - policy: the policy of the cadence.
    ///   - maxInFlight: the maximum number of pushes in flight.
    ///   - leaseLead: by how many seconds the first timestamp of the next holder of the lease is ahead of the clock.
    ///   - seed: the seed of random delays; nil for delays that are half of the longest ones.
    package init(
        of database: ShardDatabase = ShardDatabase(at: FollowedShard.start - .seconds(1)),
        policy: CadencePolicy = CadencePolicy(),
        maxInFlight: Int = 100,
        leaseLead: Int64 = 0,
        seed: UInt64? = nil
    ) {
        self.leaseLead = leaseLead
        let generator = Mutex(SeededGenerator(seed: seed ?? 0))
        randomBits = { seed == nil ? 1 << 63 : generator.withLock { $0.next() } }
        settings = FollowerContext.Settings(
            policy: CadencePolicy.Shared(policy),
            environments: [Self.environment],
            maxInFlight: maxInFlight,
            openBreakerDelay: .seconds(10),
            leaseRetryDelay: .seconds(5),
            answerLimit: .seconds(22)
        )
        self.database = database
        checks = PushChecks(policy)
        let head = database.head
        self.database.checkpoint = head.head
        lease = ShardLease(shard: ShardDatabase.shard, epoch: 1, checkpoint: head.head)
        context = FollowerContext(settings, now: Self.start, uptime: Self.startOfUptime, randomBits: randomBits)
        context.sendUntil = Self.startOfUptime + Self.leaseDuration
        follower = ShardFollower(lease: lease, at: head)
        load()
    }

    // MARK: - Time and the lease

    private var uptime: ContinuousClock.Instant { Self.startOfUptime + (now - Self.start) }

    package func pass(to moment: Timestamp) { now = max(now, moment) }

    /// The lease is renewed, or was renewed for the last time, so that it allows pushes for a duration.
    package func renew(for duration: Duration) { context.sendUntil = uptime + duration }

    /// The shard is to be given to another node.
    package func leave() { follower.isLeaving = true }

    /// The lease had expired unnoticed, and this node acquires it again before any other.
    package func acquireAgain() {
        lease = ShardLease(shard: lease.shard, epoch: lease.epoch + 1, checkpoint: lease.checkpoint)
        follower.epoch = lease.epoch
        follower.isLeaving = false
        renew(for: Self.leaseDuration)
        step { $0.evaluateAll(&$1) }
    }

    package func drain() { context.isDraining = true }

    /// Another node held the lease, and this node acquires it: it knows its devices, and loads the shard.
    /// - Parameters:
    ///   - other: what the shard is loaded from, if the database loses commits while it is loaded.
    ///   - wasReleased: whether the last holder had flushed everything and released the lease.
    package func takeOver(loadingFrom other: ShardDatabase? = nil, released wasReleased: Bool = false) {
        let (epoch, checkpoint) = (lease.epoch + 2, database.checkpoint)
        lease = ShardLease(
            shard: lease.shard,
            epoch: epoch,
            checkpoint: checkpoint,
            firstTimestamp: leaseLead > 0 ? now.epochSeconds + leaseLead : 0,
            wasReleased: wasReleased
        )
        checks.tookOver(reading: database.activities)
        batch = nil
        renew(for: Self.leaseDuration)
        follower = ShardFollower(lease: lease, at: database.head)
        load(from: other)
    }

    /// Another node, which has sent nothing yet, takes over with what was flushed.
    /// - Parameter wasReleased: whether the last holder had flushed everything and released the lease.
    package func restart(released wasReleased: Bool = false) {
        unanswered = []
        breaker = CircuitBreaker()
        context = FollowerContext(settings, now: now, uptime: uptime, randomBits: randomBits)
        takeOver(released: wasReleased)
    }

    /// This node, which no push waits for, flushes everything and releases the lease, and another one acquires it.
    func handOver() {
        failBatch()
        while isDirty(.everything) {
            takeBatch(.everything)
            // Without the commits that a batch follows from, nothing can be flushed, and nothing is released: another node
            // acquires the lease once it has expired.
            guard storeBatch() else {
                pass(to: now + Self.expiry)
                return restart()
            }
        }
        restart(released: true)
    }

    private func load(from other: ShardDatabase? = nil) {
        let database = other ?? database
        let acknowledged = database.liveActivities.map { ($0.activity.adventureID, $0.activity.acknowledgedAt) }
        let recently = now - FallbackRequest.maxAge
        let marked = database.adventuresWithAlertDevices.map { ($0, recently) }
        let oldest = Dictionary(acknowledged + marked, uniquingKeysWith: min)
        var loaded = database.load(oldest.keys.sorted(), keepingAfter: oldest)
        loaded?.withAlertDevices = database.adventuresWithAlertDevices
        step { $0.begin(with: loaded, &$1) }
    }

    /// The database loses all commits since an earlier state of it.
    package func lose(commitsSince earlier: ShardDatabase) {
        database = earlier
        checks.losesCommits(knowing: follower.deadTokens, reading: database.activities)
    }

    // MARK: - The log and the clock

    /// Follows the log and the clock, as a poll cycle does.
    package func follow() {
        guard !isBlind else { return }
        let head = staleHead ?? database.head
        staleHead = nil
        guard !follower.isLeaving else { return }
        while !follower.isForked(from: head) {
            guard follower.readPosition < head.head else {
                if let loaded = database.load(follower.endedOtherwise.union(follower.adventuresToAlert).sorted()) {
                    step { $0.follow(loaded, context: &$1) }
                }
                return step { $0.play(to: head.clock, &$1) }
            }
            guard readPage(to: head) else { break }
        }
        loadAnew(at: head)
        follow()
    }

    /// Reads the next page of the log, if there is one.
    /// - Returns: false if the shard is to be loaded anew.
    @discardableResult
    package func readPage() -> Bool {
        let head = database.head
        return follower.readPosition == head.head || readPage(to: head)
    }

    private func readPage(to head: ShardHead) -> Bool {
        let position = follower.readPosition
        let end = min(follower.pageEnd(to: head), position + Int64(pageSize))
        let page = database.page(after: position, follower.digest ?? LogDigest(), to: end)
        if follower.isForked(by: page, to: end, of: head) { return false }
        let registered = adventures(in: page) { if case .activityRegistered = $0 { true } else { false } }
        if let loaded = database.load(registered.filter { !follower.follows($0) }.sorted()) {
            step { $0.follow(loaded, context: &$1) }
        }
        let rows = database.liveActivities.filter { follower.follows($0.key.adventureID) }.map { row in
            var row = row
            if let decisions = follower.departedDecisions(of: row.key) { row.decisions = decisions }
            return (row.key, row)
        }
        let joined = adventures(in: page) { if case .input(.join) = $0 { true } else { false } }
        let names = database.playerNames(in: joined)
        step { $0.observe(page, registered: Dictionary(rows) { $1 }, playerNames: names, &$1) }
        follower.noteRead(through: end, page.last?.digest)
        return true
    }

    private func adventures(in page: [LogEntry], where isIncluded: (LogEntry.Content) -> Bool) -> Set<AdventureID> {
        Set(page.filter { isIncluded($0.content) }.compactMap(\.adventureID))
    }

    private func loadAnew(at head: ShardHead) {
        lines.append("fork")
        checks.forked(knowing: follower.deadTokens, reading: database.activities)
        follower.isCaughtUp = false
        follower = follower.successor(at: head, from: database.checkpoint)
        load()
    }

    // MARK: - APNs

    /// Takes the answer to a push.
    /// - Parameters:
    ///   - index: the index of the push.
    ///   - answer: the answer.
    ///   - classification: what the circuit breaker says to it; nil to ask the breaker.
    ///   - report: the report for the operator who requested the push.
    package func answer(
        _ index: Int,
        _ answer: PushAnswer,
        _ classification: CircuitBreaker.Classification? = nil,
        report: String? = nil
    ) {
        let order = pushes[index]
        // A late answer to a push that was answered, or that a crashed node has sent, changes no counts.
        if let position = unanswered.firstIndex(of: index) {
            unanswered.remove(at: position)
            context.landed(order)
        }
        let judged = breaker.classify(answer, for: order.token, follower.reputation(for: order), at: uptime)
        let push = AnsweredPush(order, answer, classification ?? judged.classification, report: report)
        checks.answered(order, index: index, isAccepted: answer == .accepted, among: database.activities)
        answering = order
        step { $0.completed(push, &$1) }
    }

    /// Takes the pushes as unanswered that the client has forgotten.
    package func completeOverdue() {
        guard let overdue = context.takeOverdue(at: uptime) else { return }
        for index in unanswered where pushes[index].number < overdue.numbersBelow {
            checks.answered(pushes[index], index: index, isAccepted: false)
        }
        step { $0.answersOverdue(below: overdue.numbersBelow, &$1) }
    }

    /// Lets activities be evaluated that wait for pushes to land or for time to pass.
    package func react() {
        repeat {
            while let (_, key) = context.popQueued(to: Self.environment) { step { $0.evaluateQueued(key, &$1) } }
            if let due = follower.dueAt(settings), due <= now { step { $0.evaluateDue(&$1) } }
            // A token that no request can carry lands at once.
        } while context.hasQueued
    }

    /// A member of an adventure has a device with an alert token.
    package func noteAlertDevices(of id: AdventureID) {
        database.adventuresWithAlertDevices.insert(id)
        follower.noteAlertDevices(of: id)
    }

    /// The start that the shard has requested in place of an activity finds no room in its queue.
    package func refuseStart(after key: ActivityKey) {
        if let old = database.activities[key] { follower.successorRefused(to: old) }
    }

    package func evaluateAges() { step { $0.evaluateAges(&$1) } }

    // MARK: - Flushing

    /// Whether a flush would store anything.
    package func isDirty(_ scope: FlushScope) -> Bool { follower.isDirty(scope, at: now) }

    /// Whether a batch is being stored.
    package var hasBatch: Bool { batch != nil }

    /// Takes a batch, which is in flight until ``storeBatch()`` or ``failBatch()``.
    package func takeBatch(_ scope: FlushScope) {
        let batch = follower.takeFlushBatch(scope)
        checks.expect(batch.checkpoint >= follower.flushedCheckpoint, 4, "the checkpoint goes back")
        lines.append(describe(batch))
        self.batch = batch
    }

    /// Stores the batch that is in flight.
    /// - Returns: whether it is stored.
    @discardableResult
    package func storeBatch() -> Bool {
        guard let batch else { return false }
        guard database.store(batch) else {
            failBatch()
            return false
        }
        follower.flushed(batch)
        self.batch = nil
        return true
    }

    package func failBatch() {
        guard let batch else { return }
        follower.flushFailed(batch)
        self.batch = nil
    }

    package func abandonPushesInFlight() { follower.abandonPushesInFlight() }

    // MARK: - Steps and effects

    /// What was not true.
    package var violations: [InvariantViolation] { checks.violations }

    /// Checks what must be true when nothing is left to do.
    func checkIdle() {
        checks.expect(unanswered.isEmpty && dueAt == nil, 3, "the shard does not become idle")
        for (key, row) in database.activities where row.state == .live && !checks.mayHaveLostEnds {
            checks.expect(checks.hasEnded(key), 3, "activity \(name(key)) did not get its end")
        }
        checks.expect(!isDirty(.everything), 4, "after a flush there is still something to flush")
        // A flush may be lost with commits that the follower had not read: nothing tells it.
        let checkpoint = checks.mayHaveLostEnds ? follower.flushedCheckpoint : database.checkpoint
        let isStored = follower.isFlushed && checkpoint == database.head.head
        checks.expect(isStored, 4, "the last flush has not stored everything")
    }

    private func step(_ work: (inout ShardFollower, inout FollowerContext) -> Void) {
        context.now = now
        context.uptime = uptime
        context.breakers = breaker.isClosed ? [:] : [Self.environment: breaker]
        work(&follower, &context)
        while !context.effects.isEmpty {
            for effect in context.takeEffects() { perform(effect) }
        }
        for case .wait(let reason) in context.decisions { lines.append("wait \(reason.rawValue)") }
        context.decisions = []
        guard !follower.isLeaving, !context.isDraining else { return }
        for key in follower.neglectedActivities(settings) {
            checks.expect(false, 3, "nothing wakes \(name(key)), for which something is pending")
        }
    }

    private func perform(_ effect: FollowerEffect) {
        switch effect {
        case .send(let order): send(order)
        case .start(let request): lines.append(describe(request))
        case .findAlertDevices: lines.append("find devices for alerts")
        case .alert(let request): lines.append(describe(request))
        case .dropped(let drop, let key):
            lines.append("drop \(drop.subject.word) of \(name(key)) \(drop.reason.rawValue)")
        case .tokenForgotten:
            if let answering { checks.tokenDied(answering) }
            lines.append("forget token")
        case .tokenProven:
            breaker.noteProvenToken()
            lines.append("proven")
        case .unplayable: lines.append("unplayable")
        case .notServed(let key, _): lines.append("not served \(name(key))")
        case .notBuilt(let key, _): lines.append("not built \(name(key))")
        }
    }

    private func send(_ order: PushOrder) {
        checks.expect(uptime < context.sendUntil, 5, "a push is sent when the lease may be lost")
        checks.expect(!follower.isLeaving && !context.isDraining, 5, "a push is sent for a shard that is given away")
        checks.expect(context.inFlightCount <= settings.maxInFlight, 5, "too many pushes are in flight")
        checks.sent(order, index: pushes.count, of: database.activities[order.key], at: now)
        checkNames(in: order)
        // As the dispatcher does with a token that no request can carry.
        guard !order.token.isEmpty else {
            context.landed(order)
            lines.append("empty token of \(name(order.key))")
            checks.answered(order, index: pushes.count, isAccepted: false)
            answering = order
            return follower.invalid(order, .tokenDead, &context)
        }
        _ = breaker.tryAcquire(order.reputation, at: uptime)
        unanswered.append(pushes.count)
        pushes.append(order)
        let planned = order.planned
        let request = order.requestPosition.map { " for \($0)" } ?? ""
        let dueAt = order.dueAt ?? now
        checks.expect(dueAt <= now, 5, "a push is sent before it is due")
        let lateness = dueAt < now ? " due \(seconds(dueAt))" : ""
        lines.append(
            "send \(name(order.key)) p\(planned.priority.rawValue) \(planned.reason.word) #\(pushes.count)\(request)\(lateness)"
        )
    }

    /// Checks that an alert names the player of a companion's hero if another hero is the same, and no player of whose
    /// leaving the follower has read.
    private func checkNames(in order: PushOrder) {
        guard case .companionDown(let seat)? = order.planned.alert?.kind,
            case .success(let stored)? = database.play(order.key.adventureID)
        else { return }
        let payload = String(decoding: order.payload, as: UTF8.self)
        let hasName = payload.contains("\(ShardDatabase.playerName(at: seat.rawValue))\"")
        let (heroes, push) = (stored.adventure.heroes, "push #\(pushes.count + 1)")
        let hero = heroes[seat.rawValue]
        if hero.hasLeft {
            let mayBeUnread = follower.readPosition < database.head.head || checks.mayHaveLostEnds
            checks.expect(!hasName || mayBeUnread, 4, "\(push) names the player of a hero that has left")
        } else {
            let isNeeded = heroes.count { $0.id == hero.id } > 1
            checks.expect(hasName == isNeeded || checks.mayKnowLostHistory, 4, "\(push) names a player wrongly")
        }
    }

    /// Returns and removes the descriptions of the effects since the last call.
    package func takeLines() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// The payload of a push by its index.
    package func payload(of index: Int) -> String { String(decoding: pushes[index].payload, as: UTF8.self) }

    /// The timestamps of all pushes, in seconds since the start.
    package var timestamps: [Int64] { pushes.map { $0.planned.timestamp - Self.start.epochSeconds } }

    /// The number of activities that are followed.
    package var activityCount: Int { follower.activityCount }

    /// Whether the follower waits for the answer to a push.
    package var hasPushesInFlight: Bool { follower.hasPushesInFlight }

    /// When time makes something due; nil if nothing does.
    package var dueAt: Timestamp? { follower.dueAt(settings) }

    // MARK: - Names

    package func name(_ id: ActivityID, _ name: String) { names[id] = name }

    package func name(_ key: ActivityKey) -> String { names[key.activityID] ?? "?" }

    /// A moment in seconds since the start.
    package func seconds(_ moment: Timestamp) -> String {
        "\(Double((moment - Self.start).wholeMicroseconds) / 1_000_000)"
    }

    private func describe(_ request: StartRequest) -> String {
        switch request.occasion {
        case .adventureStarted: "start at \(seconds(request.requestedAt))"
        case .activityEndsSoon(let old): "start after \(names[old.id] ?? "?")"
        case .raidJoined: "start of a raid at \(seconds(request.requestedAt))"
        }
    }

    /// The players are the numbers of their heroes.
    private func describe(_ request: FallbackRequest) -> String {
        let alerts = request.alerts.map { alert in
            let seat = database.seat(of: alert.playerID, in: request.adventureID).map(String.init) ?? "?"
            return "\(seat) \(alert.alert.kind.word)"
        }
        let devices = request.isRepeated ? " again" : ""
        return "alert \(alerts.joined(separator: ", "))\(devices)"
    }

    private func describe(_ batch: FlushBatch) -> String {
        var parts = ["flush to \(batch.checkpoint)"]
        if let pendingSince = batch.pendingSince { parts.append("pending \(seconds(pendingSince))") }
        parts += batch.activities.map { activity in
            let key = ActivityKey(adventureID: activity.adventureID, activityID: activity.activityID)
            let sent = activity.lastTimestamp == 0 ? "" : " sent \(activity.lastTimestamp - Self.start.epochSeconds)"
            let accepted = [AcceptedAlert](encoded: activity.acceptedAlerts)
            let alerts = accepted.map { " accepted \($0.kind.word)" }.joined()
            return "\(name(key)) \(activity.state.rawValue)\(sent) shown \(seconds(activity.acknowledgedAt))\(alerts)"
        }.sorted()
        parts += batch.decisions.map { "log of \(names[$0.activityID] ?? "?")" }.sorted()
        parts += batch.requestedPushes.map { "report for \($0.position): \($0.report)" }.sorted()
        return parts.joined(separator: ", ")
    }
}
