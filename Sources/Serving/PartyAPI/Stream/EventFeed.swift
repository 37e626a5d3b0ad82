import GameCore
import GameStore
import Logging
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// Brings new events to all the event streams of this node.
///
/// However many streams there are, one small query an interval asks how far the logs have come, and one round trip reads
/// what is new in those of which something is followed. A stream that nothing happens in costs nothing but its memory and
/// a comment now and then.
final class EventFeed: Service {
    /// How many events of one shard are read at once.
    private static let page = 1_000
    /// How long it waits after the database failed.
    private static let pauseAfterFailure = Duration.seconds(1)

    private struct State {
        var book = FeedBook()
        var isStopping = false
    }

    let settings: StreamSettings
    let places: StreamPlaces
    private let store: GameStore
    private let wakeSignal: WakeSignal
    private let logger: Logger
    private let clock = ContinuousClock()
    private let state = Mutex(State())

    /// A feed of one node.
    /// - Parameters:
    ///   - store: where the logs are.
    ///   - wakeSignal: rung by an engine or by commands in the same process; must be waited on by nobody else.
    ///   - settings: intervals and bounds.
    ///   - metrics: told of open streams.
    ///   - logger: for failures.
    init(store: GameStore, wakeSignal: WakeSignal, settings: StreamSettings, metrics: APIMetrics, logger: Logger) {
        self.store = store
        self.wakeSignal = wakeSignal
        self.settings = settings
        places = StreamPlaces(most: settings.mostOfPlayer, metrics: metrics)
        self.logger = logger
    }

    /// Begins to put frames into a follower: every event from now on, maybe some that were there before.
    ///
    /// What the adventure had before this returns must be read from the store.
    func follow(_ follower: Follower) async throws {
        let shard = follower.adventureID.shard
        if !state.withLock({ $0.book.add(follower, at: clock.now) }) {
            let head = try await store.heads(of: [shard]).first?.head ?? 0
            state.withLock { $0.book.add(follower, openingAt: head, at: clock.now) }
        }
        if state.withLock({ $0.isStopping }) { Self.end(follower, .serverStopping) }
    }

    /// Puts nothing more into a follower.
    func unfollow(_ follower: Follower) {
        state.withLock { $0.book.remove(follower) }
    }

    /// Ends all streams, and those to come: the server waits for them.
    func stop() {
        let everybody = state.withLock { state in
            state.isStopping = true
            return state.book.everybody
        }
        for follower in everybody { Self.end(follower, .serverStopping) }
    }

    /// Brings wakeSignal until graceful shutdown or cancellation.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var checksAt = self.clock.now + self.settings.checkInterval
            var isFailing = false
            while !Task.isCancelled {
                if self.clock.now >= checksAt {
                    self.state.withLock { $0.book.doubtEverybody() }
                    checksAt = self.clock.now + self.settings.checkInterval
                }
                do {
                    let isBehind = try await self.round()
                    isFailing = false
                    if !isBehind { await self.wakeSignal.wait(atMost: self.settings.pollInterval) }
                } catch {
                    if !isFailing, !Task.isCancelled {
                        self.logger.error("event streams get no wakeSignal", metadata: ["error": "\(error)"])
                    }
                    isFailing = true
                    try? await Task.sleep(for: Self.pauseAfterFailure)
                }
                // Sleeps end early only by cancellation, which the loop's condition sees.
                try? await Task.sleep(for: self.settings.spacing)
            }
        }
    }

    /// Hands out what is new, ends the streams of those who may not read any more, and breaks silences.
    /// - Returns: whether there is more to read at once.
    private func round() async throws -> Bool {
        for follower in state.withLock({ $0.book.takeSilent(for: settings.heartbeatInterval, at: clock.now) }) {
            follower.put(.heartbeat)
        }
        let isBehind = try await handOutNews()
        try await checkDoubtful()
        return isBehind
    }

    private func handOutNews() async throws -> Bool {
        let shards = state.withLock { $0.book.shards }
        guard !shards.isEmpty else { return false }
        let heads = try await store.heads(of: shards)
        let logs = state.withLock { $0.book.logs(upTo: heads) }
        guard !logs.isEmpty else { return false }
        var isBehind = false
        for (log, records) in zip(logs, try await store.events(in: logs, limit: Self.page)) {
            // A full page may not be all of it.
            let last = records.count == Self.page ? records.last : nil
            if last != nil { isBehind = true }
            let frames = try records.compactMap { record in
                try StreamFrame(record).map { (record: record, frame: $0) }
            }
            let deliveries = state.withLock { state in
                state.book.read(log, frames, through: last?.position ?? log.head, at: clock.now)
            }
            for (follower, frame) in deliveries { follower.put(frame) }
        }
        return isBehind
    }

    /// One query for the tokens and one for the memberships, whoever is in doubt.
    private func checkDoubtful() async throws {
        let doubtful = state.withLock { $0.book.takeDoubtful() }
        guard !doubtful.isEmpty else { return }
        let tokens: Set<[UInt8]>
        let memberships: Set<Membership>
        do {
            tokens = try await store.validTokenHashes(among: Set(doubtful.map(\.tokenHash)))
            memberships = try await store.current(among: Set(doubtful.map(\.membership)))
        } catch {
            // Which of them it was does not matter: asking once more about the others costs little.
            state.withLock { $0.book.doubtEverybody() }
            throw error
        }
        for follower in doubtful {
            if !tokens.contains(follower.tokenHash) {
                Self.end(follower, .tokenRevoked)
            } else if !memberships.contains(follower.membership) {
                Self.end(follower, .membershipEnded)
            }
        }
    }

    private static func end(_ follower: Follower, _ end: StreamFrame.End) {
        follower.put(.end(end))
        follower.finish()
    }
}
