import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import PostgresClient
import RangersMetrics
import ServiceRuntime

/// The engine on a database of its own.
final class GameLane: Sendable {
    /// What the engine counts.
    private static let ticks = "rangers_ticks_total"

    private let clock: GameClock
    private let engine: GameEngine
    private let step: Duration
    private let registry = MetricRegistry()

    /// Connects when it is first used.
    /// - Parameters:
    ///   - uri: a database with a world.
    ///   - plan: the world's.
    ///   - step: how far the game's clock goes on in each round.
    ///   - connections: over how many connections, and so shards at once, it plays.
    init(uri: String, plan: WorldPlan, step: Duration, connections: Int) {
        let clock = GameClock(plan.start)
        let logger = Logger(label: "rangers-bench") { _ in SwiftLogNoOpLogHandler() }
        self.clock = clock
        self.step = step
        engine = GameEngine(
            store: GameStore(pool: BenchDatabases.pool(uri, connections: connections)),
            settings: GameSettings(journeyTick: plan.interval, bossTurn: plan.interval),
            shardsAtOnce: connections,
            runtime: Runtime(now: { clock.now }, randomBits: { 0 }),
            wakeSignal: WakeSignal(),
            metrics: EngineMetrics(in: registry),
            logger: logger
        )
    }

    /// What the game's clock shows.
    var now: Timestamp { clock.now }

    /// How many ticks were played so far, by kind.
    func played() async -> (journeys: Int, fights: Int) {
        let metrics = MetricsText(await registry.text())
        return (
            Int(metrics.sum(Self.ticks, with: #"kind="journey""#)),
            Int(metrics.sum(Self.ticks, with: #"kind="bossFight""#))
        )
    }

    /// Lets the game's clock go on and plays what is due by then.
    /// - Returns: how many ticks that were.
    func play() async throws -> Int {
        clock.advance(by: step)
        let round = try await engine.playRound()
        guard round.failures == 0 else { throw MeasurementFailure("\(round.failures) batches of ticks failed") }
        return round.ticks
    }
}

/// The same statements without the engine, on a database of their own.
final class FloorLane: Sendable {
    private let players: [TapePlayer]
    private let tapes: [StatementTape]

    /// Connects.
    /// - Parameters:
    ///   - uri: a database as it was before the statements.
    ///   - recording: the rounds, each with its statements.
    ///   - connections: how many run them.
    /// - Throws: ``MeasurementFailure`` with libpq's reason.
    init(uri: String, recording: TickRecording, connections: Int) throws {
        players = try (0..<connections).map { _ in try TapePlayer(uri: uri, preparing: recording.prepared) }
        tapes = recording.rounds.map { StatementTape($0.stream, $0.bytes, connections: connections) }
    }

    /// Runs the statements of a round.
    func play(_ round: Int) async throws {
        let tape = tapes[round]
        try await withThrowingTaskGroup { group in
            for (number, player) in players.enumerated() {
                group.addTask {
                    try await BlockingWork.run {
                        try player.play(tape.roundTrips[number])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// What one engine has sent to PostgreSQL, round by round.
struct TickRecording: Sendable {
    struct Round: Sendable {
        let stream: FrontendStream
        let bytes: [UInt8]
    }

    private(set) var prepared: [FrontendStream.Prepared] = []
    private(set) var rounds: [Round] = []

    /// Plays rounds with a relay in between that keeps what is sent.
    init(_ count: Int, uri: String, plan: WorldPlan, step: Duration) async throws {
        guard let components = URLComponents(string: uri),
            let host = components.queryItems?.first(where: { $0.name == "host" })?.value
        else { throw MeasurementFailure("the database's URI names no socket") }
        let relay = try RecordingRelay(to: host + "/.s.PGSQL.5432")
        let lane = GameLane(
            uri: uri.replacing("host=\(host)", with: "host=\(relay.host)"),
            plan: plan,
            step: step,
            connections: 1
        )
        var progress = Progress(of: count)
        for round in 0..<count {
            _ = try await lane.play()
            let bytes = relay.take()
            let stream = try FrontendStream(bytes, beginsConnection: round == 0)
            prepared += stream.prepared
            rounds.append(Round(stream: stream, bytes: bytes))
            progress.advance()
        }
    }
}
