import GameEngine
import GameStore
import PostgresClient
import RangersMetrics
import ServiceRuntime

/// The measurement of `ticks --idle`: the cost of a game in real time when no phone shows it.
struct IdleRun {
    static let journeyTick = Duration.seconds(10)
    static let bossTurn = Duration.seconds(30)
    /// How many times fewer parties the game has with which the cost of a tick is compared.
    private static let smallerShare = 100
    private static let windows = 5
    /// The time in which the engine finds the gap since loading, which counts as an outage.
    private static let warmUp = Duration.seconds(5)

    let parties: Int
    let connections: Int
    /// The measured time of each game.
    let length: Duration

    func measure(on server: BenchmarkPostgres) async throws -> Report {
        var rows: [IdleCost] = []
        for parties in [max(parties / Self.smallerShare, 100), parties] {
            rows.append(try await measure(parties, on: server))
        }
        return Self.report(rows)
    }

    private func measure(_ parties: Int, on server: BenchmarkPostgres) async throws -> IdleCost {
        let plan = FixturePlan.steady(
            parties: parties,
            journeyTick: Self.journeyTick,
            bossTurn: Self.bossTurn,
            at: Runtime.system.now()
        )
        let uri = try await server.create("idle_\(parties)")
        try await plan.load(into: uri)
        let registry = MetricRegistry()
        let engine = GameEngine(
            store: GameStore(pool: BenchmarkPostgres.pool(uri, connections: connections + 1)),
            maxConcurrentShards: connections,
            runtime: .system,
            wakeSignal: WakeSignal(),
            metrics: EngineMetrics(in: registry),
            logger: silentLogger
        )
        return try await withThrowingTaskGroup { group in
            group.addTask { try await engine.run() }
            defer { group.cancelAll() }
            try await Task.sleep(for: Self.warmUp)
            var windows: [TickCost] = []
            var progress = Progress(of: Self.windows)
            for _ in 0..<Self.windows {
                let before = await Self.counts(in: registry)
                var cost = try await TickCost.measured(on: server) {
                    try await Task.sleep(for: length / Self.windows)
                    return TickWork()
                }
                let after = await Self.counts(in: registry)
                (cost.work.moves, cost.work.ends) = (after.moves - before.moves, after.ends - before.ends)
                windows.append(cost)
                progress.advance()
            }
            return IdleCost(parties: parties, ticksPerSecond: plan.ticksPerSecond, windows: windows)
        }
    }

    private static func counts(in registry: MetricRegistry) async -> (moves: Int, ends: Int) {
        let metrics = MetricsText(await registry.text())
        return (
            Int(metrics.histogram("rangers_clock_move_duration_seconds").count),
            Int(metrics.sum("rangers_adventures_ended_total"))
        )
    }

    /// Returns the report of games, the smallest first.
    static func report(_ costs: [IdleCost]) -> Report {
        var report = Report()
        guard let few = costs.first, let many = costs.last else { return report }
        let ratio = many.microsecondsPerTick / few.microsecondsPerTick
        report.set(["parties": many.parties, "cores": many.cores, "processorRatio": ratio])
        report.add(costs.map(\.row), as: "rows")
        report.add([
            "A tick with \(many.parties.grouped) parties costs \(ratio.grouped(digits: 2)) times the CPU time of one with "
                + "\(few.parties.grouped). Each figure is the median of \(windows) windows.",
            "Ticks are those that become due by the clock; nobody derives them. Adventures that end are not replaced.",
        ])
        return report
    }
}

/// The cost of a game in real time.
struct IdleCost {
    let parties: Int
    /// The ticks that become due.
    let ticksPerSecond: Double
    let windows: [TickCost]

    private func median(_ value: (TickCost) -> Double) -> Double { windows.map { value($0) / $0.seconds }.median }

    /// The cores that engine and PostgreSQL use.
    var cores: Double { median { $0.processSeconds + $0.postgresSeconds } }
    var microsecondsPerTick: Double { cores * 1_000_000 / ticksPerSecond }

    var row: Report.Row {
        [
            .count("parties", "PARTIES", parties), .number("ticksPerSecond", "TICKS/S", ticksPerSecond),
            .number("endsPerSecond", "ENDS/S", median { Double($0.work.ends) }),
            .number("clockMovesPerSecond", "MOVES/S", median { Double($0.work.moves) }),
            .number("walBytesPerSecond", "WAL BYTES/S", median(\.walBytes)),
            .number("engineCores", "ENGINE", median(\.processSeconds), digits: 3),
            .number("postgresCores", "POSTGRES", median(\.postgresSeconds), digits: 3),
            .number("cores", "CORES", cores, digits: 3),
            .number("microsecondsPerTick", "µS PER TICK", microsecondsPerTick, digits: 2),
        ]
    }
}
