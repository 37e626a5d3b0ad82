import GameCore
import GameStore
import HTTPServing
import Logging
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// Delivers new events to all event streams of this node.
///
/// For any number of streams, one small query per interval reads the heads of the subscribed logs, and one round trip
/// reads their new entries. A stream without events costs only memory and an occasional comment.
final class EventFeed: Service {
    /// The maximum number of entries per read of a shard's log.
    private static let pageSize = 1_000
    /// The delay after a database error.
    private static let retryDelay = Duration.seconds(1)

    private struct State {
        var subscriptions = FeedSubscriptions()
        var isShuttingDown = false
    }

    let settings: StreamSettings
    let slots: StreamSlots
    private let store: GameStore
    private let wakeSignal: WakeSignal
    private let logger: Logger
    private let clock = ContinuousClock()
    private let state = Mutex(State())

    /// Creates a feed, which delivers events while ``run()`` runs.
    /// - Parameters:
    ///   - store: the store with the logs.
    ///   - wakeSignal: notified by an engine or by commands in the same process. Nothing else may wait for it.
    ///   - settings: intervals and limits.
    ///   - metrics: receives the number of open streams.
    ///   - logger: the logger of failures.
    init(store: GameStore, wakeSignal: WakeSignal, settings: StreamSettings, metrics: HTTPMetrics, logger: Logger) {
        self.store = store
        self.wakeSignal = wakeSignal
        self.settings = settings
        slots = StreamSlots(maxPerPlayer: settings.maxStreamsPerPlayer, metrics: metrics)
        self.logger = logger
    }

    /// Starts sending frames to a subscriber: all events from now on, and possibly some earlier ones.
    ///
    /// After this method returns, the subscriber must read the earlier events from the store.
    func subscribe(_ subscriber: StreamSubscriber) async throws {
        let shard = subscriber.adventureID.shard
        if !state.withLock({ $0.subscriptions.add(subscriber, at: clock.now) }) {
            let head = try await store.heads(of: [shard]).first?.head ?? 0
            state.withLock { $0.subscriptions.add(subscriber, openingAt: head, at: clock.now) }
        }
        if state.withLock({ $0.isShuttingDown }) { Self.end(subscriber, .serverStopping) }
    }

    /// Stops sending frames to a subscriber.
    func unsubscribe(_ subscriber: StreamSubscriber) {
        state.withLock { $0.subscriptions.remove(subscriber) }
    }

    /// Ends all streams, including those opened later, so that the server can shut down.
    func stop() {
        let subscribers = state.withLock { state in
            state.isShuttingDown = true
            return state.subscriptions.subscribers
        }
        for subscriber in subscribers { Self.end(subscriber, .serverStopping) }
    }

    /// Delivers events until graceful shutdown or cancellation.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var checksAt = self.clock.now + self.settings.checkInterval
            var isFailing = false
            while !Task.isCancelled {
                if self.clock.now >= checksAt {
                    self.state.withLock { $0.subscriptions.markAllUnchecked() }
                    checksAt = self.clock.now + self.settings.checkInterval
                }
                do {
                    let isBehind = try await self.poll()
                    isFailing = false
                    if !isBehind { await self.wakeSignal.wait(atMost: self.settings.pollInterval) }
                } catch {
                    if !isFailing, !Task.isCancelled {
                        self.logger.error("reading events for streams failed", metadata: ["error": "\(error)"])
                    }
                    isFailing = true
                    try? await Task.sleep(for: Self.retryDelay)
                }
                // Throws only on cancellation, which ends the loop.
                try? await Task.sleep(for: self.settings.minimumSpacing)
            }
        }
    }

    /// Sends heartbeats and new events, and ends the streams of players who have lost access.
    /// - Returns: whether more entries can be read at once.
    private func poll() async throws -> Bool {
        for subscriber in state.withLock({ $0.subscriptions.takeSilent(for: settings.heartbeatInterval, at: clock.now) }
        ) {
            subscriber.send(.heartbeat)
        }
        let isBehind = try await sendNewEvents()
        try await checkAccess()
        return isBehind
    }

    private func sendNewEvents() async throws -> Bool {
        let shards = state.withLock { $0.subscriptions.shards }
        guard !shards.isEmpty else { return false }
        let heads = try await store.heads(of: shards)
        let logs = state.withLock { $0.subscriptions.logs(upTo: heads) }
        guard !logs.isEmpty else { return false }
        var isBehind = false
        for (log, entries) in zip(logs, try await store.events(in: logs, limit: Self.pageSize)) {
            // After a full page there may be more entries.
            let last = entries.count == Self.pageSize ? entries.last : nil
            if last != nil { isBehind = true }
            let frames = entries.compactMap { entry in
                StreamFrame(entry).map { (entry: entry, frame: $0) }
            }
            let deliveries = state.withLock { state in
                state.subscriptions.read(log, frames, through: last?.position ?? log.head, at: clock.now)
            }
            for (subscriber, frame) in deliveries { subscriber.send(frame) }
        }
        return isBehind
    }

    /// Checks tokens and memberships with one query each.
    private func checkAccess() async throws {
        let unchecked = state.withLock { $0.subscriptions.takeUnchecked() }
        guard !unchecked.isEmpty else { return }
        let tokens: Set<[UInt8]>
        let memberships: Set<Membership>
        do {
            tokens = try await store.validTokenHashes(among: Set(unchecked.map(\.tokenHash)))
            memberships = try await store.currentMemberships(among: Set(unchecked.map(\.membership)))
        } catch {
            // Checking all of them once more costs little.
            state.withLock { $0.subscriptions.markAllUnchecked() }
            throw error
        }
        for subscriber in unchecked {
            if !tokens.contains(subscriber.tokenHash) {
                Self.end(subscriber, .tokenRevoked)
            } else if !memberships.contains(subscriber.membership) {
                Self.end(subscriber, .membershipEnded)
            }
        }
    }

    private static func end(_ subscriber: StreamSubscriber, _ end: StreamFrame.End) {
        subscriber.send(.end(end))
        subscriber.finish()
    }
}
