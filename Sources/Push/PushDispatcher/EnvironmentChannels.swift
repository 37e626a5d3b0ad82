import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import Logging
import PushDispatch
import RangersMetrics
import ServiceRuntime
import Synchronization

/// The channels of one APNs environment: claims their keeping, and carries out what ``ChannelLife`` and
/// ``ChannelReconciliation`` decide.
final class EnvironmentChannels: Sendable {
    /// The time between two comparisons with the list of APNs.
    private static let listInterval = Duration.seconds(3_600)
    /// The same while the newest one has left something open: a create that is under way then has answered or expired.
    private static let nextListInterval = ChannelLife.claimDuration + .seconds(15)
    /// The same while channels wait for one whose creation has no known outcome.
    private static let listDelay = Duration.seconds(10)
    /// The time after which a comparison that failed is repeated, with and without channels.
    private static let listRetryInterval = Duration.seconds(30)
    private static let idleListRetryInterval = Duration.seconds(600)
    /// How long a deleted channel stays in the database, for operators.
    private static let retention = Duration.seconds(86_400)
    /// The maximum number of channels of one search, and of requests in flight.
    private static let batch = 100
    private static let maxConcurrentRequests = 8
    /// The attempts to store the answer to a request.
    private static let maxStoreAttempts = 5

    private struct State {
        var reconciliation: ChannelReconciliation
        /// Until when this dispatcher keeps the channels.
        var heldUntil: ContinuousClock.Instant?
        /// When the next comparison is due.
        var listDueAt: ContinuousClock.Instant
        /// The operators' request that a comparison has answered.
        var answeredRequest: Timestamp?
        var requestedAt: Timestamp?
        /// Whether the newest comparison failed.
        var isListFailing = false
        /// Whether the database failed since the last success.
        var isFailing = false
    }

    let environment: PushEnvironment
    let store: GameStore
    let client: ChannelClient
    let runtime: Runtime
    private let metrics: DispatcherMetrics
    private let logger: Logger
    /// How long this dispatcher keeps the channels without renewal.
    private let keepingDuration: Duration
    /// Whether channels that no row has are deleted.
    private let deletesUnknown: Bool
    private let holder: UUID
    private let state: Mutex<State>

    init(
        environment: PushEnvironment,
        store: GameStore,
        client: ChannelClient,
        limit: Int = ChannelReconciliation.maxChannels,
        runtime: Runtime,
        metrics: DispatcherMetrics,
        logger: Logger,
        deletesUnknown: Bool = true,
        keepingDuration: Duration = .seconds(10)
    ) {
        self.environment = environment
        self.store = store
        self.client = client
        self.runtime = runtime
        self.metrics = metrics
        self.logger = logger
        self.deletesUnknown = deletesUnknown
        self.keepingDuration = keepingDuration
        var generator = runtime.generator()
        holder = UUID(version7At: runtime.now(), using: &generator)
        state = Mutex(State(reconciliation: ChannelReconciliation(limit: limit), listDueAt: runtime.uptime()))
    }

    /// Whether this dispatcher keeps the channels.
    var isHeld: Bool {
        let now = runtime.uptime()
        return state.withLock { $0.heldUntil.map { now < $0 } ?? false }
    }

    // MARK: Keeping

    /// Claims the keeping of the channels, or renews it.
    func renew() async {
        let start = runtime.uptime()
        do {
            let keeping = try await store.keepChannels(in: environment, by: holder, for: keepingDuration)
            let limit = state.withLock { $0.reconciliation.limit }
            state.withLock { state in
                guard let keeping else {
                    state.heldUntil = nil
                    return
                }
                if state.heldUntil.map({ $0 < start }) ?? true {
                    // Another dispatcher may have left channels behind.
                    state.reconciliation = ChannelReconciliation(limit: limit)
                    state.listDueAt = start
                }
                state.heldUntil = start + keepingDuration
                state.requestedAt = keeping.requestedAt
                if state.answeredRequest == nil { state.answeredRequest = keeping.comparison?.at }
            }
            try await countChannels(isKeeper: keeping != nil)
        } catch {
            log(error)
        }
    }

    /// Lets another dispatcher take over.
    func release() async {
        guard isHeld else { return }
        state.withLock { $0.heldUntil = nil }
        // After a failure, the keeping expires.
        try? await store.releaseChannels(in: environment, by: holder)
    }

    private func countChannels(isKeeper: Bool) async throws {
        let counts = isKeeper ? try await store.channelCounts(in: environment) : [:]
        for state in BroadcastChannel.State.allCases where state != .deleted {
            metrics.channels.set(Double(counts[state, default: 0]), of: ChannelLabels(environment, state))
        }
    }

    /// Compares the channels with the list of APNs if that is due, and creates and deletes channels.
    func keep() async {
        guard isHeld else { return }
        do {
            if isListDue { try await reconcile() }
            let due = try await store.dueChannels(in: environment, limit: Self.batch)
            state.withLock { $0.isFailing = false }
            guard !due.isEmpty else { return }
            let rows = try await store.channels(in: environment)
            let room = state.withLock { $0.reconciliation.room(for: due, among: rows) }
            for key in room.evictions { try await handle(.end, of: key) }
            if room.needsList { listSoon(within: Self.listDelay) }
            await concurrently(room.ready) { [self] key in
                // Another dispatcher may have taken over meanwhile.
                guard isHeld else { return }
                try await handle(.due, of: key)
            }
        } catch {
            log(error)
        }
    }

    // MARK: Events

    /// Changes a channel by an event, and carries out the effects.
    func handle(_ event: ChannelLife.Event, of key: BroadcastChannel.Key) async throws {
        // Shielded from cancellation, so that the answer to a request is stored.
        try await Task(executorPreference: runtime.executor) { [self] in
            guard let (effects, channel, _) = try await change(key, by: event) else { return }
            for effect in effects { await perform(effect, for: channel) }
        }.value
    }

    /// Changes a channel by an event.
    /// - Returns: the effects, the channel before the event, and the database's time; nil without the channel.
    func change(
        _ key: BroadcastChannel.Key,
        by event: ChannelLife.Event
    ) async throws -> (effects: [ChannelLife.Effect], channel: BroadcastChannel, now: Timestamp)? {
        let bits = runtime.randomBits()
        return try await store.changeChannel(key) { channel, now in
            let before = channel
            var life = ChannelLife(channel)
            let effects = life.handle(event, at: now, randomBits: bits)
            channel = life.channel
            return (effects, before, now)
        }
    }

    /// Carries out an effect, except for broadcasts.
    func perform(_ effect: ChannelLife.Effect, for channel: BroadcastChannel) async {
        switch effect {
        case .send(let request):
            let answer: ChannelAnswer
            switch request {
            case .create: answer = await client.create(storing: channel.storagePolicy)
            case .delete(let id): answer = await client.delete(id)
            case .broadcast: return
            }
            await note(answer, to: request, about: channel)
        case .discard(let id):
            // If that fails, the next comparison finds it.
            if await client.delete(id) != .accepted { listSoon() }
        case .reconcile:
            listSoon()
        case .report:
            // The answer is logged.
            break
        }
    }

    /// Stores the answer to a request, and carries out the effects.
    func note(_ answer: ChannelAnswer, to request: ChannelRequest, about channel: BroadcastChannel) async {
        if [.refused, .invalid, .limitReached].contains(answer) {
            logger.error(
                "APNs refuses a request about a channel",
                metadata: [
                    "environment": "\(environment.rawValue)", "answer": "\(answer)",
                    "owner": "\(channel.key.owner.kind.rawValue)/\(channel.key.owner.id.lowercaseText)",
                    "remedy": "\(Self.remedy(for: answer))",
                ]
            )
        }
        for attempt in 1...Self.maxStoreAttempts {
            do {
                guard let changed = try await change(channel.key, by: .answer(answer, to: request)) else { return }
                for effect in changed.effects { await perform(effect, for: changed.channel) }
                return
            } catch {
                guard attempt == Self.maxStoreAttempts else {
                    // A cancelled sleep only shortens the wait.
                    try? await runtime.sleep(.seconds(1))
                    continue
                }
                log(error)
                listSoon()
            }
        }
    }

    private static func remedy(for answer: ChannelAnswer) -> String {
        switch answer {
        case .limitReached: "none: unused channels are deleted"
        case .invalid: "none: the next state may be valid; report this as a defect"
        default: "check the app identifier's Broadcast Capability"
        }
    }

    // MARK: Comparison

    private var isListDue: Bool {
        let now = runtime.uptime()
        return state.withLock { state in
            let isRequested = state.requestedAt.map { requested in state.answeredRequest.map { $0 < requested } ?? true
            }
            return state.listDueAt <= now || isRequested == true && !state.isListFailing
        }
    }

    private func listSoon(within delay: Duration = nextListInterval) {
        let dueAt = runtime.uptime() + delay
        state.withLock { $0.listDueAt = min($0.listDueAt, dueAt) }
    }

    /// Compares the channels with the list of APNs, deletes those that no row has, and has those created that APNs lost.
    private func reconcile() async throws {
        let listedAt = try await store.clock()
        let (listed, answer) = await client.list()
        guard let listed else {
            // Without channels, the app may lack the capability.
            let hasChannels = try await !store.channels(in: environment).isEmpty
            let wait = hasChannels ? Self.listRetryInterval : Self.idleListRetryInterval
            let dueAt = runtime.uptime() + wait
            let isFirst = state.withLock { state in
                defer { state.isListFailing = true }
                state.listDueAt = dueAt
                return !state.isListFailing
            }
            logger.log(
                level: isFirst && hasChannels ? .warning : .debug,
                "APNs does not list its channels",
                metadata: ["environment": "\(environment.rawValue)", "answer": "\(answer)"]
            )
            return
        }
        let readAt = try await store.clock()
        let rows = try await store.channels(in: environment)
        let now = runtime.uptime()
        let (actions, unknown) = state.withLock { state in
            let actions = state.reconciliation.compare(listed, at: listedAt, with: rows, at: readAt)
            state.isListFailing = false
            state.answeredRequest = max(state.answeredRequest ?? listedAt, listedAt)
            state.listDueAt = now + (state.reconciliation.isUncertain ? Self.nextListInterval : Self.listInterval)
            return (actions, state.reconciliation.unknownCount)
        }
        for (key, id) in actions.lost { try await handle(.lost(id), of: key) }
        for key in actions.evictions { try await handle(.end, of: key) }
        let discards = deletesUnknown ? actions.discards : []
        await concurrently(discards) { [self] id in
            let answer = await client.delete(id)
            guard answer == .accepted || answer == .notRegistered else { return }
            state.withLock { $0.reconciliation.noteDiscard(of: id) }
        }
        let comparison = ChannelKeeping.Comparison(
            at: listedAt,
            listed: listed.count,
            unknown: unknown,
            lost: actions.lost.count
        )
        try await store.note(comparison, in: environment)
        try await store.removeChannels(deletedBefore: readAt - Self.retention)
        if !discards.isEmpty || !actions.lost.isEmpty {
            logger.notice(
                "channels and APNs' list differed",
                metadata: [
                    "environment": "\(environment.rawValue)", "deleted": "\(discards.count)",
                    "createdAnew": "\(actions.lost.count)",
                ]
            )
        }
    }

    private func concurrently<Item: Sendable>(
        _ items: [Item],
        _ work: @escaping @Sendable (Item) async throws -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, item) in items.enumerated() {
                if index >= Self.maxConcurrentRequests { await group.next() }
                group.addTask { [self] in
                    do { try await work(item) } catch { log(error) }
                }
            }
        }
    }

    /// Counts and logs a failure.
    /// - Parameters:
    ///   - error: the error.
    ///   - isRepeated: whether the same work failed the last time; nil for that of the keeping.
    func log(_ error: any Error, isRepeated: Bool? = nil) {
        // The node stops.
        if error.isCancellation { return }
        metrics.failures.add()
        let isKnown =
            isRepeated
            ?? state.withLock { state in
                defer { state.isFailing = true }
                return state.isFailing
            }
        logger.log(level: isKnown ? .debug : .error, "channels could not be kept", metadata: ["error": "\(error)"])
    }
}
