import Encodings
import GameCore
import GameEngine
import GameStore
import PostgresClient
import RangersMetrics
import ServiceRuntime
import Synchronization

/// The engine on a separate database, with a clock that advances by a step per round.
final class GameLane: Sendable {
    private static let ticks = "rangers_ticks_total"

    private let clock: LaneClock
    private let engine: GameEngine
    private let step: Duration
    private let registry = MetricRegistry()

    /// Creates an engine on a database.
    /// - Parameters:
    ///   - pool: the connections to a database with the plan's parties.
    ///   - plan: the plan.
    ///   - step: the advance of the clock per round.
    ///   - connections: the number of connections, and of shards that are played concurrently.
    init(pool: PostgresPool, plan: FixturePlan, step: Duration, connections: Int) {
        let clock = LaneClock(plan.start)
        self.clock = clock
        self.step = step
        engine = GameEngine(
            store: GameStore(pool: pool),
            settings: GameSettings(journeyTick: plan.interval, bossTurn: plan.interval),
            maxConcurrentShards: connections,
            runtime: Runtime(now: { clock.now }, randomBits: { 0 }),
            wakeSignal: WakeSignal(),
            metrics: EngineMetrics(in: registry),
            logger: silentLogger
        )
    }

    var now: Timestamp { clock.now }

    /// Returns the number of ticks so far, by kind.
    func played() async -> (journeys: Int, fights: Int) {
        let metrics = MetricsText(await registry.text())
        return (
            Int(metrics.sum(Self.ticks, with: #"kind="journey""#)),
            Int(metrics.sum(Self.ticks, with: #"kind="bossFight""#))
        )
    }

    /// Advances the clock and plays the ticks that are due.
    /// - Returns: their number.
    func play() async throws -> Int {
        clock.advance(by: step)
        let cycle = try await engine.runPollCycle()
        guard cycle.failures == 0 else { throw BenchmarkFailure("\(cycle.failures) batches of ticks failed") }
        return cycle.ticks
    }
}

/// A clock that stands still between advances.
private final class LaneClock: Sendable {
    private let microseconds: Atomic<Int64>

    init(_ moment: Timestamp) { microseconds = Atomic(moment.microseconds) }

    var now: Timestamp { Timestamp(microseconds: microseconds.load(ordering: .acquiring)) }

    func advance(by duration: Duration) {
        microseconds.add(duration.wholeMicroseconds, ordering: .acquiringAndReleasing)
    }
}

/// The engine's statements without the engine, on a separate database.
final class FloorLane: Sendable {
    private let pools: [PostgresPool]
    /// The round trips by round and connection.
    private let rounds: [[[[PostgresQuery]]]]

    /// Prepares the statements of a recording for a database.
    /// - Parameters:
    ///   - uri: a database in the state before the recording.
    ///   - recording: the statements of each round.
    ///   - connections: the number of connections, which take the transactions in turns.
    init(uri: String, recording: TickRecording, connections: Int) {
        pools = (0..<connections).map { _ in BenchmarkPostgres.pool(uri) }
        rounds = recording.rounds.map { transactions in
            (0..<connections).map { connection in
                stride(from: connection, to: transactions.count, by: connections).flatMap { transactions[$0] }
            }
        }
    }

    /// Runs the statements of a round.
    func play(_ round: Int) async throws {
        try await withThrowingTaskGroup { group in
            for (pool, trips) in zip(pools, rounds[round]) {
                group.addTask {
                    try await pool.withConnection { connection in
                        for trip in trips { try await connection.pipeline(trip) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The statements of an engine by round, transaction and round trip.
struct TickRecording: Sendable {
    let rounds: [[[[PostgresQuery]]]]

    /// Plays and records rounds.
    init(_ count: Int, uri: String, plan: FixturePlan, step: Duration) async throws {
        rounds = try await BenchmarkPostgres.pool(uri).withConnection { connection in
            let recorder = StatementRecorder(on: connection)
            let pool = PostgresPool(standIn: recorder, logger: silentLogger)
            let lane = GameLane(pool: pool, plan: plan, step: step, connections: 1)
            var rounds: [[[[PostgresQuery]]]] = []
            var progress = Progress(of: count)
            for _ in 0..<count {
                _ = try await lane.play()
                rounds.append(recorder.take())
                progress.advance()
            }
            return rounds
        }
    }
}

/// The parties of a plan that replace those whose adventure has ended.
struct ReplacementParties {
    private let plan: FixturePlan
    private var nextJourney: Int
    private var nextFight: Int

    /// Begins after the plan's own parties.
    init(after plan: FixturePlan) {
        self.plan = plan
        nextJourney = plan.parties
        nextFight = plan.parties
    }

    /// Chooses new parties such that half of the plan's number stays on journeys and half in fights.
    /// - Parameters:
    ///   - journeys: the number of running journeys.
    ///   - fights: the number of running fights.
    /// - Returns: the numbers that identify the new parties, by shard.
    mutating func missing(journeys: Int, fights: Int) -> [Int: [Int]] {
        var numbers: [Int] = []
        for _ in journeys..<max(journeys, plan.parties / 2) { numbers.append(take(\.nextJourney, isJourney: true)) }
        for _ in fights..<max(fights, plan.parties / 2) { numbers.append(take(\.nextFight, isJourney: false)) }
        return Dictionary(grouping: numbers) { $0 % plan.shards }
    }

    private mutating func take(_ next: WritableKeyPath<Self, Int>, isJourney: Bool) -> Int {
        while plan.isJourney(self[keyPath: next]) != isJourney { self[keyPath: next] += 1 }
        defer { self[keyPath: next] += 1 }
        return self[keyPath: next]
    }
}
