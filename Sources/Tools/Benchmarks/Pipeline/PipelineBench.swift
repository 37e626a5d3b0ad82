import Encodings
import Foundation
import GameCore
import GameStore
import ServiceRuntime

/// Runs a node, the simulator and PostgreSQL, with parties whose every tick is pushed at once.
struct PipelineBench {
    /// How much faster the last run ticks: more than can be pushed, to see how many are.
    static let rush = 5
    private static let ticksPlayed = 8

    /// How many parties are live, each by itself.
    let sizes: [Int]
    /// Between two ticks of an adventure.
    let interval: Duration
    let length: Duration
    let cards: Int

    /// Starts what is needed, measures, and stops it.
    func report() async throws -> PipelineReport {
        let server = try await DurableServer()
        var runs = sizes.map { ($0, interval) }
        if let most = sizes.max() { runs.append((most, interval / Self.rush)) }
        var rows: [PipelineReport.Row] = []
        var progress = Progress(of: runs.count)
        for (number, run) in runs.enumerated() {
            rows.append(try await measure(parties: run.0, interval: run.1, named: "live_\(number)", on: server))
            progress.advance()
        }
        return PipelineReport(rows: rows, cardsOfParty: cards)
    }

    private func measure(
        parties: Int,
        interval: Duration,
        named database: String,
        on server: DurableServer
    ) async throws -> PipelineReport.Row {
        let system = try await LiveSystem()
        let simulator = try system.startSimulator()
        defer { simulator.kill() }
        let ports = try await simulator.ports()
        var plan = Self.plan(parties: parties, interval: interval, at: Runtime.system.now())
        let tokens = try await PhoneRegistrar(port: ports.httpPort ?? 0).register(plan, cards: cards)
        let uri = try await server.create(database)
        // What was due until now counts as played, however long the phones took.
        plan = Self.plan(parties: parties, interval: interval, at: Runtime.system.now())
        try await StockedWorld.make(plan, on: uri) { tokens[$0] }
        let node = try system.startNode(
            "api,engine,dispatcher",
            on: uri,
            apnsPort: ports.apnsPort ?? 0,
            interval: interval
        )
        defer { node.kill() }
        let metrics = NodeMetricsReader(port: try await node.ports().metricsPort ?? 0)
        try await metrics.awaitActivities(of: GameStore(pool: BenchDatabases.pool(uri)))
        // What has piled up meanwhile is played in a burst, and every phone has its first push.
        try await Task.sleep(for: interval)
        let before = try await reading(metrics, node, simulator, server)
        try await Task.sleep(for: length)
        let after = try await reading(metrics, node, simulator, server)
        return PipelineReport.Row(
            parties: parties,
            intervalSeconds: interval / .seconds(1),
            from: before,
            to: after
        )
    }

    private func reading(
        _ metrics: NodeMetricsReader,
        _ node: ServiceProgram,
        _ simulator: ServiceProgram,
        _ server: DurableServer
    ) async throws -> PipelineReading {
        let text = try metrics.read()
        return PipelineReading(
            at: .now,
            ticks: text.sum("rangers_ticks_total"),
            accepted: text.sum("rangers_pushes_total", with: #"status="200""#),
            pushes: text.sum("rangers_pushes_total"),
            latencies: text.histogram("rangers_push_commit_to_answer_seconds"),
            nodeSeconds: ProcessorTime.seconds(of: node.identifier),
            simulatorSeconds: ProcessorTime.seconds(of: simulator.identifier),
            postgresSeconds: try await server.reading().processorSeconds
        )
    }

    /// Parties over all shards, from the last slot that has ended.
    private static func plan(parties: Int, interval: Duration, at now: Timestamp) -> WorldPlan {
        let slot = (interval / WorldPlan.slots).wholeMicroseconds
        return WorldPlan(
            parties: parties,
            shards: min(256, parties),
            interval: interval,
            start: Timestamp(microseconds: now.microseconds / slot * slot),
            ticksPlayed: ticksPlayed,
            // Each with players of its own, whose phones have budgets of their own.
            differentAdventures: parties
        )
    }
}

/// How far everything has come at a moment.
struct PipelineReading: Sendable {
    let at: ContinuousClock.Instant
    let ticks: Double
    let accepted: Double
    let pushes: Double
    let latencies: HistogramReading
    /// CPU time.
    let nodeSeconds: Double
    let simulatorSeconds: Double
    let postgresSeconds: Double
}
