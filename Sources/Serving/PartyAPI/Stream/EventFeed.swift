import GameCore
import GameLog
import GameStore
import HTTPServing
import Logging
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// Delivers new events to all event streams of this node.
///
/// It plays the subscribed adventures itself. For any number of streams, one small query per interval reads the rows of
/// the subscribed shards, and one round trip reads their new log entries. Each event is rendered once, and only after its
/// shard's clock has passed it. A stream without events costs only memory and an occasional comment.
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
    /// The streams of each player, and of the spectators with a link at each address.
    let slots: StreamSlots
    /// The streams of all spectators with a link.
    let linkSlots: StreamSlots
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
        slots = StreamSlots(maxPerHolder: settings.maxStreamsPerPlayer, metrics: metrics)
        linkSlots = StreamSlots(maxPerHolder: settings.maxStreamsPerLink, metrics: nil)
        self.logger = logger
    }

    /// Sends a subscriber all events so far after its event, perhaps with some before it, and then the following ones.
    ///
    /// If the database has lost its event, a reset and all events so far come first.
    func subscribe(_ subscriber: StreamSubscriber) {
        let isShuttingDown = state.withLock { state in
            state.subscriptions.add(subscriber, at: clock.now)
            return state.isShuttingDown
        }
        if isShuttingDown { Self.end(subscriber, .serverStopping) }
        wakeSignal.notify()
    }

    /// Checks soon whether all clients still have access.
    func checkAllAccess() {
        state.withLock { $0.subscriptions.markAllUnchecked() }
        wakeSignal.notify()
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
                    if !isFailing, !error.isFromStop {
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
        try await loadAdventures()
        let isBehind = try await sendNewEvents()
        try await checkAccess()
        return isBehind
    }

    /// Loads the adventures of new subscribers.
    private func loadAdventures() async throws {
        let unloaded = Dictionary(grouping: state.withLock { $0.subscriptions.beginLoading() }, by: \.shard)
        guard !unloaded.isEmpty else { return }
        // The rows of the shards come first: entries that are read twice have no effect, others would be missing.
        for head in try await store.heads(of: unloaded.keys.sorted()) {
            let ids = unloaded[head.shard] ?? []
            let loaded = try await loadable(ids, of: head)
            send(state.withLock { $0.subscriptions.load(loaded, of: ids, head: head, at: clock.now) })
        }
    }

    /// Returns those of the adventures of a shard that can be played, each with all events so far.
    private func loadable(_ ids: [AdventureID], of head: ShardHead) async throws -> [FeedSubscriptions.Loaded] {
        var events: [AdventureID: [StoredEvent]] = [:]
        do {
            let results = try await store.adventures(ids, of: head.shard) { id, event in
                events[id, default: []].append(event)
            }
            return results.compactMap { result in
                do throws(StoreError) {
                    let stored = try result.get()
                    return (stored, events[stored.id] ?? [])
                } catch {
                    logger.error("an adventure cannot be streamed", metadata: ["error": "\(error)"])
                    return nil
                }
            }
        } catch StoreError.newerShard {
            return []
        }
    }

    /// - Returns: whether more entries can be read at once.
    private func sendNewEvents() async throws -> Bool {
        let shards = state.withLock { $0.subscriptions.shards }
        guard !shards.isEmpty else { return false }
        let heads = try await store.heads(of: shards)
        let behind = state.withLock { $0.subscriptions.behind(heads) }
        let logs = behind.isEmpty ? [] : try await store.logs(after: behind, limit: Self.pageSize)
        let entries = Dictionary(uniqueKeysWithValues: zip(behind.map(\.shard), logs))
        for head in heads {
            let (deliveries, unplayable, forkedAt) = state.withLock {
                $0.subscriptions.play(entries[head.shard] ?? [], upTo: head, at: clock.now)
            }
            send(deliveries)
            if let read = forkedAt {
                await store.reportFork(of: head, readTo: read.head, read.digest, playedTo: read.clock)
            }
            for (id, error) in unplayable {
                logger.error("an adventure cannot be streamed", metadata: ["error": "\(error)"])
                await store.note(error, of: id)
            }
        }
        return logs.contains { $0.count == Self.pageSize }
    }

    private func send(_ deliveries: [StreamDelivery]) {
        for delivery in deliveries { delivery.send() }
    }

    /// Checks tokens, memberships and links with one query each.
    private func checkAccess() async throws {
        let unchecked = state.withLock { $0.subscriptions.takeUnchecked() }
        guard !unchecked.isEmpty else { return }
        let tokens: Set<[UInt8]>
        let memberships: Set<Membership>
        let links: Set<SpectatorLink>
        // The members of parties on a machine that does not respond are checked later.
        let away = store.unreachableShards
        do {
            let accesses = Set(unchecked.map(\.access))
            tokens = try await store.validTokenHashes(among: Set(accesses.compactMap(\.tokenHash)))
            memberships = try await store.currentMemberships(
                among: Set(accesses.compactMap(\.membership).filter { !away.contains($0.partyID.shard) })
            )
            let candidates = Set(accesses.compactMap(\.link).filter { !away.contains($0.shard) })
            links = candidates.isEmpty ? [] : try await store.openLinks(among: candidates)
        } catch {
            // Checking all of them once more costs little.
            state.withLock { $0.subscriptions.markAllUnchecked() }
            throw error
        }
        for subscriber in unchecked {
            switch subscriber.access {
            case .member(_, let tokenHash) where !tokens.contains(tokenHash):
                Self.end(subscriber, .tokenRevoked)
            case .member(let membership, _):
                guard !memberships.contains(membership), !away.contains(membership.partyID.shard) else { continue }
                Self.end(subscriber, .membershipEnded)
            case .spectator(let link):
                guard !links.contains(link), !away.contains(link.shard) else { continue }
                Self.end(subscriber, .closed)
            }
        }
    }

    private static func end(_ subscriber: StreamSubscriber, _ end: StreamFrame.End) {
        subscriber.send(.end(end))
        subscriber.finish()
    }
}

extension StreamSubscriber.Access {
    fileprivate var membership: Membership? { if case .member(let membership, _) = self { membership } else { nil } }
    fileprivate var tokenHash: [UInt8]? { if case .member(_, let hash) = self { hash } else { nil } }
    fileprivate var link: SpectatorLink? { if case .spectator(let link) = self { link } else { nil } }
}
