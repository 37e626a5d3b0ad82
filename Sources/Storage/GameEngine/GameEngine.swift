import Encodings
import GameCore
public import GameStore
public import Logging
import RangersMetrics
public import ServiceLifecycle
public import ServiceRuntime
import Synchronization

/// Plays due ticks of journeys and overdue turns of boss fights, shard by shard.
///
/// Every node runs this loop over all shards, starting at a random shard. A shard locked by another node is skipped:
/// the transaction is the claim, so there is nothing to elect, renew or recover.
public struct GameEngine: Service {
    /// The approximate number of adventures per transaction: large enough to share the cost of a commit, small enough
    /// that commands for the shard wait only briefly.
    private static let batch = 500
    /// The maximum pause between two poll cycles when nothing is due.
    ///
    /// Only tests use slots shorter than this; the pause is then a slot.
    private static let maxPause = Duration.milliseconds(100)
    /// The pause after a database error, and the minimum pause of a failed shard.
    private static let pauseAfterFailure = Duration.seconds(1)

    private let store: GameStore
    private let settings: GameSettings
    private let maxConcurrentShards: Int
    private let runtime: Runtime
    private let wakeSignal: WakeSignal
    private let firstShard: Shard
    private let metrics: EngineMetrics
    private let logger: Logger
    private let schedule: JourneySchedule

    /// Creates an engine.
    /// - Parameters:
    ///   - store: the store of the adventures.
    ///   - settings: the speed of the game, the same on every node.
    ///   - maxConcurrentShards: the maximum number of shards played concurrently, each over its own connection: while
    ///     PostgreSQL writes the commit of one shard to disk, others are read and updated.
    ///   - runtime: clock and randomness. The node starts its poll cycles at a random shard.
    ///   - wakeSignal: notified after every commit that appended to a log.
    ///   - metrics: the engine's metrics.
    ///   - logger: the logger for failures.
    public init(
        store: GameStore,
        settings: GameSettings,
        maxConcurrentShards: Int = 4,
        runtime: Runtime,
        wakeSignal: WakeSignal,
        metrics: EngineMetrics = EngineMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.maxConcurrentShards = maxConcurrentShards
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.metrics = metrics
        self.logger = logger
        firstShard = Shard(rawValue: UInt8(truncatingIfNeeded: runtime.randomBits()))
        schedule = JourneySchedule(interval: settings.journeyTick)
    }

    /// Plays until graceful shutdown or cancellation; transactions in progress are completed first.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await playUntilCancelled() }
    }

    /// Plays until cancellation; transactions in progress are completed first.
    package func playUntilCancelled() async {
        let pause = min(Self.maxPause, schedule.slotLength)
        let lanes = SharedLanes(ShardLanes(count: maxConcurrentShards, pause: pause, rest: Self.pauseAfterFailure))
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch lanes.state.withLock({ $0.next(at: runtime.uptime()) }) {
                case .poll:
                    let due = await shardsDue()
                    lanes.state.withLock { $0.beginCycle(of: due, at: runtime.uptime()) }
                case .play(let shard):
                    group.addTask {
                        let played = await playLoggingFailure(shard)
                        lanes.state.withLock { $0.ended(shard, played, at: runtime.uptime()) }
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
        /// Notified when a shard was played.
        let end = WakeSignal()

        init(_ lanes: ShardLanes) { state = Mutex(lanes) }
    }

    /// Returns the shards with due work; nil after a database error.
    private func shardsDue() async -> [Shard]? {
        do {
            return try await dueShards()
        } catch {
            logger.error("the shards with due work could not be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func dueShards() async throws -> [Shard] {
        let due = try await store.shardsDue(at: runtime.now(), slotMicroseconds: schedule.slotMicroseconds)
        return due.filter { $0 >= firstShard } + due.filter { $0 < firstShard }
    }

    /// The result of a poll cycle.
    public struct PollCycle: Sendable, Equatable {
        /// The number of ticks played.
        public var ticks = 0
        /// The number of failed shards, which the next cycle retries.
        public var failures = 0

        fileprivate mutating func add(_ other: PollCycle) {
            ticks += other.ticks
            failures += other.failures
        }
    }

    /// Plays every shard with due work once, for callers that advance the clock themselves.
    ///
    /// The other shards are played even if one fails.
    public func runPollCycle() async throws -> PollCycle {
        let shards = try await dueShards()
        return await withTaskGroup(of: PollCycle.self) { group in
            var cycle = PollCycle()
            for (number, shard) in shards.enumerated() where !Task.isCancelled {
                if number >= maxConcurrentShards, let played = await group.next() { cycle.add(played) }
                group.addTask { await playLoggingFailure(shard) }
            }
            for await played in group { cycle.add(played) }
            return cycle
        }
    }

    private func playLoggingFailure(_ shard: Shard) async -> PollCycle {
        do {
            // A transaction in progress is completed on shutdown: the task shields it from cancellation.
            return PollCycle(
                ticks: try await Task(executorPreference: runtime.executor) { try await play(shard) }.value
            )
        } catch {
            metrics.failures.add()
            logger.error("a shard could not be played", metadata: ["shard": "\(shard.rawValue)", "error": "\(error)"])
            return PollCycle(failures: 1)
        }
    }

    private func play(_ shard: Shard) async throws -> Int {
        let start = runtime.uptime()
        let batch = try await store.withShardIfUnlocked(shard, at: runtime.now()) { transaction in
            var batch = TickBatch()
            try await playJourneys(in: &transaction, noting: &batch)
            try await playFights(in: &transaction, noting: &batch)
            return batch
        }
        guard let batch, batch.ticks > 0 else { return 0 }
        wakeSignal.notify()
        measure(batch, since: start)
        return batch.ticks
    }

    private func measure(_ batch: TickBatch, since start: ContinuousClock.Instant) {
        metrics.ticks.add(batch.journeyTicks, to: .journey)
        metrics.ticks.add(batch.fightTicks, to: .bossFight)
        metrics.batchSize.observe(Double(batch.ticks))
        metrics.batchDuration.observe(runtime.uptime() - start)
        if let due = batch.oldestDue { metrics.lag.observe(runtime.now() - due) }
    }

    private func playJourneys(in transaction: inout ShardTransaction, noting batch: inout TickBatch) async throws {
        guard transaction.journeys > 0 else { return }
        let window = schedule.window(
            from: transaction.journeysTickedUntil,
            to: transaction.now,
            journeys: transaction.journeys,
            batch: Self.batch
        )
        guard let window else { return }
        for journey in try await transaction.journeys(onPhases: window.phases) {
            guard var stored = playable(journey), let phase = stored.phase else { continue }
            let ticks = schedule.ticks(ofPhase: phase, startedAt: stored.startedAt, in: window)
            guard ticks > 0 else { continue }
            batch.played(aTickDueAt: schedule.firstTick(ofPhase: phase, startedAt: stored.startedAt, in: window))
            batch.journeyTicks += try await playTicks(ticks, of: &stored, in: &transaction)
        }
        transaction.journeysTickedUntil = schedule.end(of: window)
    }

    private func playFights(in transaction: inout ShardTransaction, noting batch: inout TickBatch) async throws {
        for fight in try await transaction.dueFights(limit: Self.batch, puttingOffUndecodable: settings.bossTurn) {
            guard var stored = playable(fight) else { continue }
            if let due = stored.turnDueAt { batch.played(aTickDueAt: due) }
            batch.fightTicks += try await playTicks(1, of: &stored, in: &transaction)
        }
    }

    /// Returns the adventure; if this version cannot decode it, logs an error and returns nil.
    private func playable(_ stored: Result<StoredAdventure, StoreError>) -> StoredAdventure? {
        switch stored {
        case .success(let stored): return stored
        case .failure(let error):
            logger.error("an adventure cannot be played", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Plays the due ticks of a running adventure and records the result.
    private func playTicks(
        _ ticks: Int,
        of stored: inout StoredAdventure,
        in transaction: inout ShardTransaction
    ) async throws -> Int {
        let before = stored.adventure
        var played = 0
        while played < ticks, stored.adventure.status == .running {
            let events = try stored.adventure.advance(.tick)
            try transaction.append(events, of: stored)
            played += 1
        }
        try await transaction.save(&stored, bossTurn: settings.bossTurn, after: before)
        return played
    }
}

extension ShardTransaction {
    /// Records an adventure's newest state, sets the deadline of a turn that has just opened, and handles the end.
    /// - Parameters:
    ///   - stored: the adventure with its newest state.
    ///   - bossTurn: how long a turn stays open.
    ///   - before: the state before the change; a turn that is open in both states keeps its deadline.
    /// - Throws: errors of the store.
    mutating func save(_ stored: inout StoredAdventure, bossTurn: Duration, after before: Adventure) async throws {
        switch stored.adventure.status {
        case .ready, .running:
            if stored.adventure.turn != before.turn {
                stored.turnDueAt = stored.adventure.turn == nil ? nil : now + bossTurn
            }
            try update(stored)
        case .ended:
            stored.turnDueAt = nil
            stored.endedAt = now
            try update(stored)
            if var party = try await party(stored.partyID) {
                let experience = stored.adventure.heroes.map { ($0.playerID, $0.experience) }
                party.endAdventure(experience: Dictionary(experience, uniquingKeysWith: { $1 }))
                update(party)
            }
        }
    }
}
