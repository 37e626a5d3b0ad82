import Encodings
import GameCore
public import GameStore
public import Logging
import RangersMetrics
public import ServiceLifecycle
public import ServiceRuntime
import Synchronization

/// Moves the clocks of shards with live adventures, and closes the adventures that have ended, shard by shard.
///
/// Every node runs this loop over all shards, starting at a random shard. A shard locked by another node is skipped:
/// the transaction is the claim, so there is nothing to elect, renew or recover. Everything that is due by a committed
/// clock has happened: readers play adventures up to it.
public struct GameEngine: Service {
    /// The pause between two polls while nothing is due; a poll finds what will be due in this time.
    private static let pause = Duration.milliseconds(100)
    /// The pause after a poll that found something: a clock that was moved may be due again soon.
    private static let shortPause = Duration.milliseconds(25)
    /// The pause after a database error, and the minimum pause of a failed shard.
    private static let pauseAfterFailure = Duration.seconds(1)

    private let store: GameStore
    private let maxConcurrentShards: Int
    private let runtime: Runtime
    private let wakeSignal: WakeSignal
    private let firstShard: Shard
    private let metrics: EngineMetrics
    private let logger: Logger

    /// Creates an engine.
    /// - Parameters:
    ///   - store: the store of the adventures.
    ///   - maxConcurrentShards: the maximum number of clocks moved concurrently, each over its own connection:
    ///     PostgreSQL writes concurrent commits to disk together.
    ///   - runtime: clock and randomness. The node starts its poll cycles at a random shard.
    ///   - wakeSignal: notified after the clocks of a poll cycle were moved.
    ///   - metrics: the engine's metrics.
    ///   - logger: the logger for failures.
    public init(
        store: GameStore,
        maxConcurrentShards: Int = 4,
        runtime: Runtime,
        wakeSignal: WakeSignal,
        metrics: EngineMetrics = EngineMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.maxConcurrentShards = maxConcurrentShards
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.metrics = metrics
        self.logger = logger
        firstShard = Shard(rawValue: UInt8(truncatingIfNeeded: runtime.randomBits()))
    }

    /// Runs until graceful shutdown or cancellation; transactions in progress are completed first.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await runUntilCancelled() }
    }

    /// Runs until cancellation; transactions in progress are completed first.
    package func runUntilCancelled() async {
        let lanes = SharedLanes(
            ShardLanes(
                count: maxConcurrentShards,
                pause: Self.pause,
                shortPause: Self.shortPause,
                rest: Self.pauseAfterFailure
            )
        )
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch lanes.state.withLock({ $0.next(at: runtime.uptime()) }) {
                case .poll:
                    let due = await shardsDue()
                    if lanes.state.withLock({ $0.beginCycle(of: due, at: runtime.uptime()) }) { wakeSignal.notify() }
                case .play(let due):
                    group.addTask {
                        let played = await playLoggingFailure(due)
                        if lanes.state.withLock({ $0.ended(due.shard, played, at: runtime.uptime()) }) {
                            wakeSignal.notify()
                        }
                        lanes.end.notify()
                    }
                case .wait(let pause):
                    await lanes.end.wait(atMost: pause, sleeping: runtime.sleep)
                }
            }
        }
    }

    /// The lanes, shared by the loop and its tasks.
    private final class SharedLanes: Sendable {
        let state: Mutex<ShardLanes>
        /// Notified when a clock was moved.
        let end = WakeSignal()

        init(_ lanes: ShardLanes) { state = Mutex(lanes) }
    }

    /// Returns the shards with work that is due until the next poll; nil after a database error.
    private func shardsDue() async -> [DueShard]? {
        do {
            return try await dueShards(within: Self.pause)
        } catch {
            // A stop cancels the query.
            guard !error.isFromStop else { return nil }
            logger.error("the shards with due work could not be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func dueShards(within horizon: Duration) async throws -> [DueShard] {
        let due = try await store.dueShards(within: horizon)
        return due.filter { $0.shard >= firstShard } + due.filter { $0.shard < firstShard }
    }

    /// The result of a poll cycle.
    public struct PollCycle: Sendable, Equatable {
        /// The number of clocks moved.
        public var moves = 0
        /// The number of adventures closed.
        public var ends = 0
        /// The number of failed shards, which the next cycle retries.
        public var failures = 0

        fileprivate mutating func add(_ other: PollCycle) {
            moves += other.moves
            ends += other.ends
            failures += other.failures
        }
    }

    /// Moves every clock that is due once, for callers that advance the time themselves.
    ///
    /// The other clocks are moved even if one fails.
    public func runPollCycle() async throws -> PollCycle {
        let shards = try await dueShards(within: .zero)
        return await withTaskGroup(of: PollCycle.self) { group in
            var cycle = PollCycle()
            for (number, shard) in shards.enumerated() where !Task.isCancelled {
                if number >= maxConcurrentShards, let played = await group.next() { cycle.add(played) }
                group.addTask { await playLoggingFailure(shard) }
            }
            for await played in group { cycle.add(played) }
            wakeSignal.notify()
            return cycle
        }
    }

    private func playLoggingFailure(_ due: DueShard) async -> PollCycle {
        do {
            // A transaction in progress is completed on shutdown: the task shields it from cancellation.
            return try await Task(executorPreference: runtime.executor) { try await moveClock(of: due) }.value
        } catch {
            metrics.failures.add()
            logger.error(
                "a clock could not be moved",
                metadata: ["shard": "\(due.shard.rawValue)", "error": "\(error)"]
            )
            return PollCycle(failures: 1)
        }
    }

    /// Moves a clock, again and again if more adventures have ended than one transaction closes.
    private func moveClock(of due: DueShard) async throws -> PollCycle {
        var cycle = PollCycle()
        while true {
            let start = runtime.uptime()
            guard let move = try await store.moveClock(of: due) else { return cycle }
            metrics.moved(move, in: runtime.uptime() - start)
            cycle.add(PollCycle(moves: 1, ends: move.closed.count))
            guard move.hasMore else { return cycle }
        }
    }
}
