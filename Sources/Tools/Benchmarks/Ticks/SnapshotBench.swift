import Foundation
import GameCore
import GameStore
import PostgresClient

/// Plays as fast as it can without, with and again without a reader that keeps a snapshot open.
struct SnapshotBench {
    /// Of the time with the reader, how long the others are.
    private static let shareOfOthers = 3
    /// How many rows that time has.
    private static let rowsOfPinned = 9
    /// Before anything counts: adventures of all ages run then, and PostgreSQL has settled on its plans.
    private static let roundsOfWarmUp = 10
    private static let shownStatements = 12
    /// Those that ticks write again and again.
    private static let tables: Set = ["adventures", "boss_turns", "parties", "shards"]

    let parties: Int
    let connections: Int
    /// How long the snapshot is kept.
    let pinned: Duration

    /// Starts a server, measures on it, and stops it.
    func report() async throws -> SnapshotReport {
        let server = try await DurableServer()
        let game = try await SteadyGame(parties: parties, connections: connections, on: server)
        for _ in 0..<Self.roundsOfWarmUp { _ = try await game.play() }
        try await server.checkpoint()
        let start = ContinuousClock.now
        var report = SnapshotReport(
            parties: parties,
            connections: connections,
            pinnedSeconds: pinned / .seconds(1)
        )
        let others = pinned / Self.shareOfOthers
        try await play(.before, for: others, since: start, in: game, into: &report)
        try await server.whileSnapshotIsPinned(on: game.uri) {
            try await play(.pinned, for: pinned, since: start, in: game, into: &report)
        }
        try await play(.after, for: others, since: start, in: game, into: &report)
        return report
    }

    private func play(
        _ phase: SnapshotReport.Phase,
        for length: Duration,
        since start: ContinuousClock.Instant,
        in game: SteadyGame,
        into report: inout SnapshotReport
    ) async throws {
        let begin = ContinuousClock.now
        let lengthOfRow = pinned / Self.rowsOfPinned
        try await game.server.resetStatements()
        var tables: [TableFigures] = []
        var ticks = 0
        var rowBegin = begin
        while rowBegin < begin + length {
            var sum = TickFigures.none
            while .now < rowBegin + lengthOfRow { sum += try await game.play() }
            tables = try await TableFigures.read(from: game.uri).filter { Self.tables.contains($0.name) }
            report.rows.append(
                SnapshotReport.Row(
                    phase,
                    fromSeconds: (rowBegin - start) / .seconds(1),
                    seconds: (.now - rowBegin) / .seconds(1),
                    figures: sum,
                    tables: tables
                )
            )
            ticks += sum.ticks ?? 0
            rowBegin = .now
        }
        report.tables += tables.map { .init(phase: phase, $0) }
        let statements = try await game.server.statements(of: game.database, atMost: Self.shownStatements)
        report.statements += statements.compactMap { .init(phase: phase, $0, ofTicks: ticks) }
    }
}

/// A game in which all of the time as many adventures run: another begins for each that ends.
private final class SteadyGame {
    let server: DurableServer
    let database = "steady"
    let uri: String
    private let plan: WorldPlan
    private let lane: GameLane
    private let pool: PostgresPool
    private let adventures: [PlayedAdventure]
    /// In so many rounds each adventure has one tick.
    private let roundsOfInterval: Int
    private var newcomers: Newcomers
    private var rounds = 0
    private var playedBefore = (journeys: 0, fights: 0)

    init(parties: Int, connections: Int, on server: DurableServer) async throws {
        let (plan, step, roundsOfInterval) = TicksBench.plan(parties)
        self.server = server
        self.plan = plan
        uri = try await server.create(database)
        adventures = try plan.adventures()
        self.roundsOfInterval = roundsOfInterval
        try await StockedWorld.make(plan, on: uri)
        pool = BenchDatabases.pool(uri)
        try await pool.withConnection { try await $0.script("VACUUM ANALYZE") }
        lane = GameLane(uri: uri, plan: plan, step: step, connections: connections)
        newcomers = Newcomers(behind: plan)
    }

    /// Plays a round; what has ended is replaced when the round is measured.
    func play() async throws -> TickFigures {
        let figures = try await TickFigures.measured(on: server) { try await lane.play() }
        rounds += 1
        if rounds.isMultiple(of: roundsOfInterval) {
            // Each that ran has had its tick.
            let played = await lane.played()
            let missing = newcomers.missing(
                journeys: played.journeys - playedBefore.journeys,
                fights: played.fights - playedBefore.fights
            )
            playedBefore = played
            var present = plan
            present.start = lane.now
            try await StockedWorld.add(missing, of: present, in: adventures, to: pool)
        }
        return figures
    }
}
