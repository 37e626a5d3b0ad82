import Encodings
import GameCore
public import GameStore
public import Logging
import RangersMetrics
public import ServiceLifecycle
public import ServiceRuntime
import Synchronization

/// Plays what is due: ticks of journeys and overdue turns of boss fights, shard by shard.
///
/// Every node runs this loop over all shards, starting at an offset of its own. A shard that another node holds at the
/// moment is skipped: the transaction is the claim, so there is nothing to elect, renew or rescue.
public struct GameEngine: Service {
    /// About how many adventures one transaction takes: large enough to share the cost of a commit, small enough that
    /// commands for the shard wait only briefly.
    private static let batch = 500
    /// How long a round waits when nothing is due, at most; a phase of the fastest game is shorter only in tests.
    private static let longestPause = Duration.milliseconds(100)
    /// How long the engine waits after the database failed, and a shard that failed at least.
    private static let pauseAfterFailure = Duration.seconds(1)

    private let store: GameStore
    private let settings: GameSettings
    private let shardsAtOnce: Int
    private let runtime: Runtime
    private let wakeSignal: WakeSignal
    private let firstShard: Shard
    private let metrics: EngineMetrics
    private let logger: Logger
    private let schedule: JourneySchedule

    /// An engine on one node.
    /// - Parameters:
    ///   - store: where the adventures are.
    ///   - settings: the game's speed; the same on every node.
    ///   - shardsAtOnce: how many shards are played side by side, each over a connection of its own: while PostgreSQL
    ///     makes one durable, the others are read and written.
    ///   - runtime: clock and randomness; the node starts its rounds at a random shard.
    ///   - wakeSignal: rung after every commit that wrote to a log.
    ///   - metrics: what is counted.
    ///   - logger: for failures.
    public init(
        store: GameStore,
        settings: GameSettings,
        shardsAtOnce: Int = 4,
        runtime: Runtime,
        wakeSignal: WakeSignal,
        metrics: EngineMetrics = EngineMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.shardsAtOnce = shardsAtOnce
        self.runtime = runtime
        self.wakeSignal = wakeSignal
        self.metrics = metrics
        self.logger = logger
        firstShard = Shard(rawValue: UInt8(truncatingIfNeeded: runtime.randomBits()))
        schedule = JourneySchedule(interval: settings.journeyTick)
    }

    /// Plays until graceful shutdown or cancellation; the transaction under way is finished first.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await playUntilCancelled() }
    }

    /// Plays until cancellation; the transactions under way are finished first.
    package func playUntilCancelled() async {
        let pause = min(Self.longestPause, schedule.slotLength)
        let lanes = SharedLanes(ShardLanes(count: shardsAtOnce, pause: pause, rest: Self.pauseAfterFailure))
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                switch lanes.state.withLock({ $0.next(at: runtime.uptime()) }) {
                case .ask:
                    let due = await shardsDue()
                    lanes.state.withLock { $0.beginRound(of: due, at: runtime.uptime()) }
                case .play(let shard):
                    group.addTask {
                        let played = await outcome(of: shard)
                        lanes.state.withLock { $0.ended(shard, played, at: runtime.uptime()) }
                        lanes.end.notify()
                    }
                case .wait(let pause):
                    await lanes.end.wait(atMost: pause, sleeping: runtime.sleep)
                }
            }
        }
    }

    /// The lanes, for the loop and whoever plays in one.
    private final class SharedLanes: Sendable {
        let state: Mutex<ShardLanes>
        /// Rung when a shard is played.
        let end = WakeSignal()

        init(_ lanes: ShardLanes) { state = Mutex(lanes) }
    }

    /// The shards with work, nil where the database does not say.
    private func shardsDue() async -> [Shard]? {
        do {
            return try await dueShards()
        } catch {
            logger.error("the shards with work could not be asked for", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func dueShards() async throws -> [Shard] {
        let due = try await store.shardsDue(at: runtime.now(), slotMicroseconds: schedule.slotMicroseconds)
        return due.filter { $0 >= firstShard } + due.filter { $0 < firstShard }
    }

    /// What one round did.
    public struct Round: Sendable, Equatable {
        /// How many ticks were played.
        public var ticks = 0
        /// How many shards failed; they are tried again in the next round.
        public var failures = 0

        fileprivate mutating func add(_ other: Round) {
            ticks += other.ticks
            failures += other.failures
        }
    }

    /// Plays every shard in which something is due, once, to its end, for whoever moves the clock by hand; a shard that
    /// fails does not hold up the others.
    public func playRound() async throws -> Round {
        let shards = try await dueShards()
        return await withTaskGroup(of: Round.self) { group in
            var round = Round()
            for (number, shard) in shards.enumerated() where !Task.isCancelled {
                if number >= shardsAtOnce, let played = await group.next() { round.add(played) }
                group.addTask { await outcome(of: shard) }
            }
            for await played in group { round.add(played) }
            return round
        }
    }

    private func outcome(of shard: Shard) async -> Round {
        do {
            // A transaction under way is finished even when a stop is asked for: shielded from cancellation.
            return Round(
                ticks: try await Task(executorPreference: runtime.executor) { try await play(shard) }.value
            )
        } catch {
            metrics.failures.add()
            logger.error("a shard could not be played", metadata: ["shard": "\(shard.rawValue)", "error": "\(error)"])
            return Round(failures: 1)
        }
    }

    private func play(_ shard: Shard) async throws -> Int {
        let start = runtime.uptime()
        let batch = try await store.withFreeShard(shard, at: runtime.now()) { transaction in
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
            batch.journeyTicks += try await advance(&stored, ticks: ticks, in: &transaction)
        }
        transaction.journeysTickedUntil = schedule.end(of: window)
    }

    private func playFights(in transaction: inout ShardTransaction, noting batch: inout TickBatch) async throws {
        for fight in try await transaction.dueFights(limit: Self.batch, puttingOffUndecodable: settings.bossTurn) {
            guard var stored = playable(fight) else { continue }
            if let due = stored.turnDueAt { batch.played(aTickDueAt: due) }
            batch.fightTicks += try await advance(&stored, ticks: 1, in: &transaction)
        }
    }

    /// The adventure, or nil for one that this version cannot read, which is told and left as it is.
    private func playable(_ stored: Result<StoredAdventure, StoreError>) -> StoredAdventure? {
        switch stored {
        case .success(let stored): return stored
        case .failure(let error):
            logger.error("an adventure cannot be played", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Ticks an adventure, as often as it is due and lives, and records all of it.
    private func advance(
        _ stored: inout StoredAdventure,
        ticks: Int,
        in transaction: inout ShardTransaction
    ) async throws -> Int {
        let before = stored.adventure
        var played = 0
        while played < ticks, stored.adventure.status == .running {
            let events = try stored.adventure.advance(.tick)
            try transaction.append(events, of: stored)
            played += 1
        }
        try await transaction.keep(&stored, bossTurn: settings.bossTurn, after: before)
        return played
    }
}

extension ShardTransaction {
    /// Records an adventure's newest value; sets the deadline of a turn that has just opened, or sees to the end.
    /// - Parameters:
    ///   - stored: the adventure with its newest value.
    ///   - bossTurn: how long a turn stays open.
    ///   - before: its value before; a turn that was open then keeps its deadline.
    /// - Throws: errors of the store.
    mutating func keep(_ stored: inout StoredAdventure, bossTurn: Duration, after before: Adventure) async throws {
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
                party.comeHome(experience: Dictionary(experience, uniquingKeysWith: { $1 }))
                update(party)
            }
        }
    }
}
