import Foundation
import PostgresClient

/// The measurement of `ticks --pinned-snapshot`: the game without, with, and again without a reader's open snapshot.
struct SnapshotRun {
    /// The ratio of the phase with the reader to each of the phases without it.
    private static let pinnedShare = 3
    /// The number of rows for the phase with the reader.
    private static let pinnedRows = 9
    /// The number of warm-up rounds; after them, adventures are of all ages, and PostgreSQL has chosen its plans.
    private static let warmUpRounds = 10
    private static let shownStatements = 12
    /// The tables that ticks update.
    private static let tables: Set = ["adventures", "boss_turns", "parties", "shards"]

    let parties: Int
    let connections: Int
    /// The duration of the phase with the reader.
    let pinned: Duration

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres()
        let game = try await SteadyGame(parties: parties, connections: connections, on: server)
        for _ in 0..<Self.warmUpRounds { _ = try await game.play() }
        try await server.checkpoint()
        let start = ContinuousClock.now
        var result = SnapshotResult(parties: parties, connections: connections, pinnedSeconds: pinned / .seconds(1))
        let others = pinned / Self.pinnedShare
        try await play(.before, for: others, since: start, in: game, into: &result)
        try await BenchmarkPostgres.whileSnapshotIsPinned(on: game.uri) {
            try await play(.pinned, for: pinned, since: start, in: game, into: &result)
        }
        try await play(.after, for: others, since: start, in: game, into: &result)
        return result.report
    }

    private func play(
        _ phase: SnapshotResult.Phase,
        for length: Duration,
        since start: ContinuousClock.Instant,
        in game: SteadyGame,
        into result: inout SnapshotResult
    ) async throws {
        let phaseStart = ContinuousClock.now
        try await game.server.resetStatements()
        var tables: [TableStatistics] = []
        var ticks = 0
        var rowStart = phaseStart
        while rowStart < phaseStart + length {
            var cost = TickCost.zero
            while .now < rowStart + pinned / Self.pinnedRows { cost += try await game.play() }
            tables = try await TableStatistics.read(from: game.pool).filter { Self.tables.contains($0.name) }
            result.rows.append(
                .init(
                    phase: phase,
                    fromSeconds: (rowStart - start) / .seconds(1),
                    seconds: (.now - rowStart) / .seconds(1),
                    cost: cost,
                    tables: tables
                )
            )
            ticks += cost.ticks ?? 0
            rowStart = .now
        }
        result.tables += tables.map { (phase, $0) }
        let statements = try await game.server.statements(of: game.database, limit: Self.shownStatements)
        result.add(statements, of: phase, ticks: ticks)
    }
}

/// A game with a constant number of adventures: each that ends is replaced.
private final class SteadyGame {
    let server: BenchmarkPostgres
    let database = "steady"
    let uri: String
    private let plan: FixturePlan
    private let lane: GameLane
    let pool: PostgresPool
    private let adventures: [PlayedAdventure]
    /// The number of rounds in which each adventure has one tick.
    private let roundsPerInterval: Int
    private var replacements: ReplacementParties
    private var rounds = 0
    private var playedBefore = (journeys: 0, fights: 0)

    init(parties: Int, connections: Int, on server: BenchmarkPostgres) async throws {
        let (plan, step, roundsPerInterval) = TicksBenchmark.plan(parties)
        self.server = server
        self.plan = plan
        uri = try await server.create(database)
        adventures = try plan.adventures()
        self.roundsPerInterval = roundsPerInterval
        try await plan.load(into: uri)
        pool = BenchmarkPostgres.pool(uri)
        try await pool.withConnection { try await $0.script("VACUUM ANALYZE") }
        let lanePool = BenchmarkPostgres.pool(uri, connections: connections)
        lane = GameLane(pool: lanePool, plan: plan, step: step, connections: connections)
        replacements = ReplacementParties(after: plan)
    }

    /// Plays a round; adventures that have ended are replaced after the measurement.
    func play() async throws -> TickCost {
        let cost = try await TickCost.measured(on: server) { try await lane.play() }
        rounds += 1
        // After an interval, each running adventure has had one tick.
        if rounds.isMultiple(of: roundsPerInterval) {
            let played = await lane.played()
            let missing = replacements.missing(
                journeys: played.journeys - playedBefore.journeys,
                fights: played.fights - playedBefore.fights
            )
            playedBefore = played
            var present = plan
            present.start = lane.now
            try await present.add(missing, in: adventures, to: pool)
        }
        return cost
    }
}

/// The results of all phases.
struct SnapshotResult {
    enum Phase: String, CaseIterable, Encodable, Sendable { case before, pinned, after }

    /// The measurements of a part of a phase.
    struct Row {
        let phase: Phase
        /// The time since the beginning of the measurement.
        let fromSeconds: Double
        /// The whole time, with the replacement of adventures between rounds, which the cost does not include.
        let seconds: Double
        let cost: TickCost
        /// The updated tables at the end.
        let tables: [TableStatistics]

        var ticks: Int { cost.ticks ?? 0 }
        var ticksPerSecond: Double { cost.seconds > 0 ? Double(ticks) / cost.seconds : 0 }

        var row: Report.Row {
            let perTick = 1 / Double(max(ticks, 1))
            return [
                .text("phase", "PHASE", phase.rawValue), .number("fromSeconds", "FROM S", fromSeconds),
                .value("seconds", seconds), .value("ticks", ticks),
                .number("ticksPerSecond", "TICKS/S", ticksPerSecond),
                .number("engineMicrosecondsPerTick", "ENGINE µS", cost.engineSeconds * 1_000_000 * perTick, digits: 1),
                .number(
                    "postgresMicrosecondsPerTick",
                    "POSTGRES µS",
                    cost.postgresSeconds * 1_000_000 * perTick,
                    digits: 1
                ), .number("walBytesPerTick", "WAL BYTES", cost.walBytes * perTick),
                .count("deadRows", "DEAD ROWS", tables.reduce(0) { $0 + $1.deadRows }),
                .count("tableBytes", "MB", tables.reduce(0) { $0 + $1.bytes }, per: 1_000_000),
            ]
        }
    }

    let parties: Int
    let connections: Int
    let pinnedSeconds: Double
    /// The rows, in order of time.
    var rows: [Row] = []
    /// The updated tables at the end of each phase.
    var tables: [(phase: Phase, table: TableStatistics)] = []
    /// The statements of each phase with the longest total time, in that order.
    private(set) var statements: [(phase: Phase, statement: String, calls: Int, microsecondsPerTick: Double)] = []

    init(parties: Int, connections: Int, pinnedSeconds: Double) {
        self.parties = parties
        self.connections = connections
        self.pinnedSeconds = pinnedSeconds
    }

    /// Adds the statements of a phase, except COPY, which stores replacements.
    mutating func add(_ statistics: [StatementStatistics], of phase: Phase, ticks: Int) {
        for statement in statistics where !statement.statement.hasPrefix("COPY ") {
            let microseconds = statement.milliseconds * 1_000 / Double(max(ticks, 1))
            statements.append((phase, statement.statement, statement.calls, microseconds))
        }
    }

    /// Returns the ticks per second of a phase; nil without any tick.
    private func ticksPerSecond(_ phase: Phase) -> Double? {
        let rows = rows.filter { $0.phase == phase && $0.ticks > 0 }
        guard !rows.isEmpty else { return nil }
        return Double(rows.reduce(0) { $0 + $1.ticks }) / rows.reduce(0) { $0 + $1.cost.seconds }
    }

    var report: Report {
        let rates = Phase.allCases.map(ticksPerSecond)
        let ratio = rates[0].flatMap { before in rates[1].map { $0 / before } }
        let lowest = rows.filter { $0.phase == .pinned }.map(\.ticksPerSecond).min()
        func text(_ number: Double?, digits: Int = 0) -> String { number?.grouped(digits: digits) ?? "-" }

        var report = Report()
        report.set("parties", parties)
        report.set("connections", connections)
        report.set("pinnedSeconds", pinnedSeconds)
        report.set("ticksPerSecond", rates[0])
        report.set("pinnedTicksPerSecond", rates[1])
        report.set("afterTicksPerSecond", rates[2])
        report.set("lowestTicksPerSecond", lowest)
        report.set("pinnedRatio", ratio)
        report.add(rows.map(\.row), as: "rows")
        report.add([
            "\(text(rates[0])) ticks per second before, \(text(rates[1])) with a snapshot of \(text(pinnedSeconds)) s (ratio "
                + "\(text(ratio, digits: 2)), minimum \(text(lowest))), \(text(rates[2])) after it.",
            "Ticks per second are of the time in which the engine plays; µs of CPU time and WAL bytes are per tick.",
        ])
        report.set(
            "tables",
            tables.map { phase, table -> Report.Row in
                [
                    .value("phase", phase), .value("table", table.name), .value("deadRows", table.deadRows),
                    .value("bytes", table.bytes),
                ]
            }
        )
        report.add(
            tables.filter { $0.phase == .before }.map { _, named -> Report.Row in
                var fields: [Report.Field] = [.text(nil, "TABLE", named.name)]
                for phase in Phase.allCases {
                    let table = tables.first { $0.phase == phase && $0.table.name == named.name }?.table
                    fields.append(.count(nil, "DEAD \(phase.rawValue.uppercased())", table?.deadRows))
                    fields.append(.count(nil, "MB", table?.bytes, per: 1_000_000, digits: 1))
                }
                return .init(fields)
            }
        )
        report.set(
            "statements",
            statements.map { statement -> Report.Row in
                [
                    .value("phase", statement.phase), .value("statement", statement.statement),
                    .value("calls", statement.calls), .value("microsecondsPerTick", statement.microsecondsPerTick),
                ]
            }
        )
        report.add(
            statements.filter { $0.phase == .pinned }.map { named -> Report.Row in
                var fields: [Report.Field] = [.text(nil, "STATEMENT", named.statement)]
                for phase in Phase.allCases {
                    let entry = statements.first { $0.phase == phase && $0.statement == named.statement }
                    let title = "µS \(phase.rawValue.uppercased())"
                    fields.append(.number(nil, title, entry?.microsecondsPerTick, digits: 2))
                }
                return .init(fields)
            }
        )
        return report
    }
}
