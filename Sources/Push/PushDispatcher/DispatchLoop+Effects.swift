import APNsClient
import Encodings
import GameCore
import GameLog
import GameStore
import Logging
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics
import ServiceRuntime

// The inputs of the followers, and their effects.

extension DispatchLoop {
    /// The maximum number of pushes in a batch: few enough that the first ones are sent while others are evaluated.
    private static let maxBatch = 500

    /// Lets followers take a step at the current time, and performs the effects.
    func step(_ work: (inout FollowerContext) -> Void) {
        context.now = presence.now
        context.uptime = runtime.uptime()
        // After an interruption, the logs are read first: what is pending may be lost.
        let mayBeLost = presence.wasInterrupted(after: followedAt)
        context.sendUntil = mayBeLost ? context.uptime : presence.sendUntil(of: holder)
        context.breakers = breakers.open(at: context.uptime)
        work(&context)
        performEffects()
    }

    /// Passes the outcomes of pushes to their followers.
    func handleCompletedPushes() {
        var rest = completedPushes.takeAll()[...]
        while !rest.isEmpty {
            // An answer that may change a circuit breaker is a separate step, so that the next answer meets its effects.
            let isSteady = breakers.open(at: runtime.uptime()).isEmpty
            let accepted: ArraySlice<CompletedPush> = isSteady ? rest.prefix(while: { $0.outcome.isAccepted }) : []
            let next = accepted.isEmpty ? rest.prefix(1) : accepted
            rest = rest.dropFirst(next.count)
            step { context in
                for completed in next { handle(completed, &context) }
            }
        }
    }

    private func handle(_ completed: CompletedPush, _ context: inout FollowerContext) {
        let order = completed.push.order
        let leased = shards[order.shard]
        context.landed(order)
        let answer = PushAnswer(completed.outcome)
        let classification = breakers.classify(
            answer,
            for: order.token,
            // Only a rejection is classified by it.
            answer == .accepted ? .unknown : leased?.follower.reputation(for: order) ?? .unknown,
            in: order.environment,
            at: context.uptime
        )
        if answer != .accepted || !context.breakers.isEmpty { context.breakers = breakers.open(at: context.uptime) }
        log(completed)
        let push = AnsweredPush(order, answer, classification, report: completed.report)
        leased?.follower.completed(push, &context)
    }

    /// Gives up waiting for the outcomes of pushes that the client has not reported in time.
    func completeOverdue() {
        guard let overdue = context.takeOverdue(at: runtime.uptime()) else { return }
        metrics.failures.add()
        logger.error(
            "the client has reported no outcome for some pushes, which count as unanswered",
            metadata: ["pushes": "\(overdue.count)"]
        )
        for leased in shards.values.sorted(by: { $0.shard < $1.shard }) {
            step { leased.follower.answersOverdue(below: overdue.numbersBelow, &$0) }
        }
    }

    private func log(_ completed: CompletedPush) {
        let key = completed.push.key
        switch completed.outcome {
        case .accepted:
            break
        case .unknown(let failure):
            logger.info("a push got no response", metadata: metadata(of: key, ["reason": "\(failure)"]))
        case .neverSent(let failure):
            logger.info("a push was not sent", metadata: metadata(of: key, ["reason": "\(failure)"]))
        case .rejected(let rejection):
            logger.log(
                level: rejection.reaction == .forgetToken ? .info : .warning,
                "APNs rejected a push",
                metadata: metadata(
                    of: key,
                    ["status": "\(rejection.status)", "reason": "\(rejection.reason.text)"]
                )
            )
        }
    }

    /// Evaluates waiting activities as long as there is capacity, a batch at most for each environment, so that the poll
    /// cycle has its turn.
    func evaluateQueued() {
        step { context in
            for environment in environments.sorted(by: { $0.rawValue < $1.rawValue }) {
                for _ in 0..<Self.maxBatch {
                    guard let (shard, key) = context.popQueued(to: environment) else { break }
                    shards[shard]?.follower.evaluateQueued(key, &context)
                }
            }
        }
    }

    /// Evaluates what is due because time has passed, and requests the starts whose grace period is over.
    func evaluateDue() {
        let now = presence.now
        // Waits end at times of the clock before. The context has the new time already, by the steps since then.
        let isClockBack = evaluatedAt.map { now < $0 - Self.toleratedClockStep } ?? false
        evaluatedAt = now
        if isClockBack {
            for leased in shards.values.sorted(by: { $0.shard < $1.shard }) {
                step { leased.follower.evaluateAll(&$0) }
            }
        }
        let settings = context.settings
        let due = shards.values.filter { $0.follower.dueAt(settings).map { $0 <= now } ?? false }
        // Sorted, so that a seeded run is reproducible.
        for leased in due.sorted(by: { $0.shard < $1.shard }) {
            step { leased.follower.evaluateDue(&$0) }
        }
        guard runtime.uptime() >= agesDueAt else { return }
        agesDueAt = runtime.uptime() + Self.ageInterval
        for leased in shards.values.sorted(by: { $0.shard < $1.shard }) {
            step { leased.follower.evaluateAges(&$0) }
        }
        step { $0.removeIdleDevices() }
    }

    // MARK: - Effects

    private func performEffects() {
        // A push that cannot be sent has effects of its own.
        var effects: [FollowerEffect] = []
        while !context.effects.isEmpty {
            effects = context.takeEffects(leaving: effects)
            for effect in effects { perform(effect) }
            effects.removeAll(keepingCapacity: true)
        }
        guard !context.decisions.isEmpty else { return }
        metrics.decisions.add(each: context.decisions)
        context.decisions.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: FollowerEffect) {
        switch effect {
        case .send(let order):
            send(order)
        case .start(let request):
            start(request)
        case .findAlertDevices(let id, let player):
            enqueue(.findDevices(id, player))
        case .alert(let request):
            enqueue(.send(request))
        case .dropped(let drop, let key):
            logger.debug(
                "dropped a pending alert, state or end",
                metadata: metadata(of: key, ["what": "\(drop.subject)", "reason": "\(drop.reason.text)"])
            )
        case .tokenForgotten:
            metrics.forgottenTokens.add(to: .activity)
        case .tokenProven(let environment):
            breakers.noteProvenToken(in: environment)
        case .unplayable(let error):
            logger.error("an adventure cannot be played, and is not shown", metadata: ["error": "\(error)"])
        case .notServed(let key, let environment):
            logger.warning(
                "this node does not send to the environment of an activity",
                metadata: metadata(of: key, ["environment": "\(environment.rawValue)"])
            )
        case .notBuilt(let key, let error):
            logger.error("a push cannot be built", metadata: metadata(of: key, ["error": "\(error)"]))
        }
    }

    private func send(_ order: PushOrder) {
        guard let request = APNsPush(order, to: settings.topic) else {
            logger.error("a stored push token is empty or too long", metadata: metadata(of: order.key, [:]))
            context.landed(order)
            shards[order.shard]?.follower.invalid(order, .tokenDead, &context)
            return
        }
        if !context.breakers.isEmpty {
            _ = breakers.tryAcquire(order.environment, for: order.reputation, at: context.uptime)
        }
        decidedPushes[order.environment, default: []].append(OutgoingPush(order: order, request: request))
        if order.number.isMultiple(of: Self.maxBatch) { submitDecided() }
    }

    /// Submits the decided pushes, those of each environment as one batch.
    func submitDecided() {
        // Sorted, so that a seeded run is reproducible.
        for environment in decidedPushes.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let batch = decidedPushes.removeValue(forKey: environment) { outgoing.yield(batch) }
        }
    }

    /// Spends the budget of a device for the start of an activity by push.
    func spendStart(_ device: Device) {
        step { $0.spendStart(on: device.id, of: device.playerID, isFrequent: device.frequentPushesEnabled) }
    }

    /// Enqueues a start request, unless the queue is full.
    ///
    /// The starts are processed outside the loop, so that they do not delay pushes.
    private func start(_ request: StartRequest) {
        guard case .dropped = startRequests.yield(request) else { return }
        logger.error(
            "a start request was dropped: the queue is full",
            metadata: ["adventure": "\(request.adventureID)"]
        )
        if case .activityEndsSoon(let old) = request.occasion {
            shards[request.adventureID.shard]?.follower.successorRefused(to: old)
        }
    }
}

extension APNsPush {
    /// Creates the request of a push; nil if its token is empty or too long.
    fileprivate init?(_ order: PushOrder, to topic: String) {
        guard let deviceToken = DeviceToken(bytes: order.token) else { return nil }
        self.init(
            deviceToken: deviceToken,
            topic: topic,
            priority: order.planned.priority == .high ? .high : .low,
            expirationEpochSeconds: order.planned.expiration,
            id: order.apnsID,
            payload: order.payload,
            sendBy: order.sendBy
        )
    }
}
