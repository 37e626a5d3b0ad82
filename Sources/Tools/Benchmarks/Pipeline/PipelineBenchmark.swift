import ArgumentParser
import Foundation
import SimulatedPlayers

/// `rangers-bench pipeline`: the time from a tick to the devices.
struct PipelineBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "pipeline",
        abstract: "Plays live parties on a node that pushes to the simulator, and times the pushes.",
        discussion: """
            Starts a node with all roles, the APNs simulator and a private PostgreSQL whose commits reach the disk, each \
            as a process of its own on this machine; rangersd and apns-simulator are those in the folder of this \
            program. The ticks of all adventures are spread evenly over --interval, and each is pushed at once to all \
            devices of its party. In the last run they are \(overload) times as frequent, more than can be pushed: the \
            rate of that run is the capacity.

            Times are from the histogram rangers_push_commit_to_response_seconds: from the moment of a tick to the \
            simulator's response. An activity gets at most one push per second; with an --interval near a second, this \
            spacing is part of the time.

            JSON: {parties, p50Milliseconds, p99Milliseconds, pushesPerSecond, rows: [{parties, intervalSeconds, \
            ticksPerSecond, pushesPerSecond, rejectedPushes, p50Milliseconds, p99Milliseconds, nodeCores, simulatorCores, \
            postgresCores}], activitiesPerParty}. The values outside the rows are those of the row with the most parties at \
            --interval; times are null when nothing was pushed.
            """
    )
    static let reportsSpeed = true
    /// The speed of the last run, as a multiple of the speed with `--interval`.
    private static let overload = 5

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The number of live parties; several numbers give several runs.", valueName: "count")
    )
    var parties = [100, 1_000, 10_000]

    @Option(help: ArgumentHelp("The number of activities per party, 1 to \(FixturePlan.heroes).", valueName: "count"))
    var activities = FixturePlan.heroes

    @Option(help: ArgumentHelp("The time between two ticks of an adventure.", valueName: "seconds")) var interval = 10

    @Option(help: ArgumentHelp("The duration of each run.", valueName: "seconds")) var seconds = 20

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard !parties.isEmpty else { throw ValidationError("--parties needs a number") }
        // The simulator's limit of devices.
        for number in parties { try Self.check("--parties", number, in: 1...10_000) }
        try Self.check("--activities", activities, in: 1...FixturePlan.heroes)
        try Self.check("--interval", interval, in: 1...3_600)
        try Self.check("--seconds", seconds, in: 1...3_600)
    }

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres()
        var runs = parties.map { ($0, Duration.seconds(interval)) }
        if let max = parties.max() { runs.append((max, .seconds(interval) / Self.overload)) }
        var rows: [PipelineRow] = []
        var progress = Progress(of: runs.count)
        for (number, run) in runs.enumerated() {
            rows.append(try await measure(parties: run.0, interval: run.1, named: "live_\(number)", on: server))
            progress.advance()
        }
        return Self.report(rows, activitiesPerParty: activities)
    }

    private func measure(parties: Int, interval: Duration, named database: String, on server: BenchmarkPostgres)
        async throws -> PipelineRow
    {
        let launcher = try await ServiceLauncher()
        let simulator = try launcher.startSimulator()
        defer { simulator.kill() }
        let ports = try await simulator.ports()
        let plan = FixturePlan.live(parties: parties, interval: interval)
        let tokens = try await SimulatorClient(at: ports.httpURL).addDevices(of: plan, activities: activities)
        let node = try await LiveNode(
            "api,engine,dispatcher",
            by: launcher,
            apnsPort: ports.apnsPort,
            on: server,
            database: database,
            // A new plan: ticks that became due while devices were registered count as played.
            playing: .live(parties: parties, interval: interval),
            tokens: { tokens[$0] }
        )
        defer { node.program.kill() }
        func snapshot() async throws -> PipelineSnapshot {
            PipelineSnapshot(
                at: .now,
                metrics: try node.metrics(),
                nodeSeconds: ProcessUsage.cpuSeconds(of: node.program.processIdentifier),
                simulatorSeconds: ProcessUsage.cpuSeconds(of: simulator.processIdentifier),
                postgresSeconds: try await server.usage().cpuSeconds
            )
        }

        // In the first interval overdue ticks are played in a burst, and every activity gets its first push.
        try await Task.sleep(for: interval)
        let before = try await snapshot()
        try await Task.sleep(for: .seconds(seconds))
        return PipelineRow(parties: parties, interval: interval, before: before, after: try await snapshot())
    }

    /// Returns the report of all runs.
    static func report(_ rows: [PipelineRow], activitiesPerParty: Int) -> Report {
        let interval = rows.map(\.interval).max()
        let main = rows.filter { $0.interval == interval }.max { $0.parties < $1.parties }
        var report = Report()
        report.set(["parties", "p50Milliseconds", "p99Milliseconds", "pushesPerSecond"], from: main?.row)
        report.add(rows.map(\.row), as: "rows")
        report.set("activitiesPerParty", activitiesPerParty)
        report.add([
            "\(activitiesPerParty) activities per party; times are from the moment of a tick to APNs's response, by "
                + "the node's histogram.", "NODE, SIMULATOR and POSTGRES: the cores that each used.",
        ])
        return report
    }
}

/// One run: the difference of two snapshots.
struct PipelineRow {
    let parties: Int
    /// The time between two ticks of an adventure.
    let interval: Duration
    let before: PipelineSnapshot
    let after: PipelineSnapshot

    var row: Report.Row {
        let seconds = (after.at - before.at) / .seconds(1)
        func difference(_ value: (PipelineSnapshot) -> Double) -> Double { value(after) - value(before) }
        let (accepted, pushes) = (difference(\.acceptedPushes), difference(\.pushes))
        let latencies = after.latencies - before.latencies
        return [
            .count("parties", "PARTIES", parties),
            .number("intervalSeconds", "TICK S", interval / .seconds(1), digits: 1),
            .number("ticksPerSecond", "TICKS/S", Double(parties) / (interval / .seconds(1))),
            .number("pushesPerSecond", "PUSHES/S", accepted / seconds),
            .count("rejectedPushes", "REJECTED", Int(pushes - accepted)),
            .number("p50Milliseconds", "P50 MS", latencies.percentile(50).map { $0 * 1_000 }, digits: 1),
            .number("p99Milliseconds", "P99 MS", latencies.percentile(99).map { $0 * 1_000 }, digits: 1),
            .number("nodeCores", "NODE", difference(\.nodeSeconds) / seconds, digits: 2),
            .number("simulatorCores", "SIMULATOR", difference(\.simulatorSeconds) / seconds, digits: 2),
            .number("postgresCores", "POSTGRES", difference(\.postgresSeconds) / seconds, digits: 2),
        ]
    }
}

/// The cumulative counts and CPU times at one moment.
struct PipelineSnapshot: Sendable {
    let at: ContinuousClock.Instant
    let metrics: MetricsText
    let nodeSeconds: Double
    let simulatorSeconds: Double
    let postgresSeconds: Double

    var pushes: Double { metrics.sum("rangers_pushes_total") }
    var acceptedPushes: Double { metrics.sum("rangers_pushes_total", with: #"status="200""#) }
    var latencies: HistogramSnapshot { metrics.histogram("rangers_push_commit_to_response_seconds") }
}

extension SimulatorClient {
    private static let concurrentPhones = 4

    /// Adds a device for each party of a plan, with an activity for each hero.
    /// - Returns: the push tokens by party and seat.
    /// - Throws: the simulator's error.
    func addDevices(of plan: FixturePlan, activities: Int) async throws -> [[[UInt8]]] {
        try await concurrently(plan.parties, limit: Self.concurrentPhones) { number in
            try await addDevice(number, of: plan, activities: activities)
        }
    }

    private func addDevice(_ number: Int, of plan: FixturePlan, activities: Int) async throws -> [[UInt8]] {
        let phoneID = try await addPhone(label: "\(number)", locale: "en", frequentPushesEnabled: true)
        var tokens: [[UInt8]] = []
        for seat in 0..<activities {
            let token = try await start(
                plan.activityID(number, seat: seat),
                of: plan.adventureID(number),
                on: phoneID,
                heroName: "Ranger",
                partyName: "The Rangers"
            )
            tokens.append(Array(token))
        }
        return tokens
    }
}
