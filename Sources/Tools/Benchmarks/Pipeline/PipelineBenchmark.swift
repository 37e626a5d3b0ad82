import ArgumentParser
import Foundation
import SimulatedPlayers

/// `rangers-bench pipeline`: the time from a tick to the devices.
struct PipelineBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "pipeline",
        abstract: "Plays live parties on a node that pushes to the simulator, and times the pushes.",
        discussion: """
            Starts a node with all roles, a peer and a private PostgreSQL whose commits reach the disk, each as a process of \
            its own on this machine; rangersd and apns-simulator are those in the folder of this program. The peer is the \
            APNs simulator. The ticks of all adventures are spread evenly over --interval, and each is pushed at once to \
            all devices of its party. The last run has \(overload.parties) times the parties, whose ticks are \
            \(overload.speed) times as frequent, more than can be pushed, and its peer is the server of `push`, which \
            accepts every push: the rate of that run is the capacity.

            Times are from the histogram rangers_push_commit_to_response_seconds: from the moment of a tick to the \
            peer's response. An activity gets at most one push per second; with an --interval near a second, this \
            spacing is part of the time.

            JSON: {parties, p50Milliseconds, p99Milliseconds, pushesPerSecond, rows: [{parties, intervalSeconds, \
            ticksPerSecond, pushesPerSecond, rejectedPushes, p50Milliseconds, p99Milliseconds, nodeCores, peerCores, \
            postgresCores}], activitiesPerParty}. The values outside the rows are those of the row with the most parties at \
            --interval; times are null when nothing was pushed.
            """
    )
    static let reportsSpeed = true
    /// The last run: multiples of the most parties, and of the speed with `--interval`.
    private static let overload = (parties: 2, speed: 10)
    private static let minWarmUp = Duration.seconds(5)

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
        var rows: [PipelineRow] = []
        var progress = Progress(of: parties.count + 1)
        for (number, parties) in parties.enumerated() {
            let plan = { FixturePlan.live(parties: parties, interval: .seconds(interval)) }
            rows.append(try await measure(plan, of: .simulator, named: "live_\(number)", on: server))
            progress.advance()
        }
        let most = (parties.max() ?? 0) * Self.overload.parties
        let plan = { FixturePlan.live(parties: most, interval: .seconds(interval) / Self.overload.speed) }
        rows.append(try await measure(plan, of: .acceptingServer, named: "overload", on: server))
        return Self.report(rows, activitiesPerParty: activities)
    }

    /// A peer of the node.
    private enum Peer { case simulator, acceptingServer }

    private func measure(
        _ makePlan: () -> FixturePlan,
        of kind: Peer,
        named database: String,
        on server: BenchmarkPostgres
    ) async throws -> PipelineRow {
        let launcher = try await ServiceLauncher()
        let peer = try kind == .simulator ? launcher.startSimulator() : launcher.startAcceptingServer()
        defer { peer.kill() }
        let ports = try await peer.ports()
        let apnsPort: Int?
        var tokens: [[[UInt8]]] = []
        let plan = makePlan()
        switch kind {
        case .simulator:
            apnsPort = ports.apnsPort
            tokens = try await SimulatorClient(at: ports.httpURL).addDevices(of: plan) { [activities] _ in activities }
                .map(\.tokens)
        case .acceptingServer:
            apnsPort = ports.httpPort
            tokens = (0..<plan.parties).map { Array(plan.tokens($0).prefix(activities)) }
        }
        let node = try await LiveNode(
            "api,engine,dispatcher",
            by: launcher,
            apnsPort: apnsPort,
            on: server,
            database: database,
            // A new plan: ticks that became due while devices were registered count as played.
            playing: makePlan(),
            tokens: { [tokens] in tokens[$0] }
        )
        defer { node.program.kill() }
        func snapshot() async throws -> PipelineSnapshot {
            PipelineSnapshot(
                at: .now,
                metrics: try node.metrics(),
                nodeSeconds: ProcessUsage.cpuSeconds(of: node.program.processIdentifier),
                peerSeconds: ProcessUsage.cpuSeconds(of: peer.processIdentifier),
                postgresSeconds: try await server.usage().cpuSeconds
            )
        }

        // In the first interval overdue ticks are played in a burst, and every activity gets its first push.
        try await Task.sleep(for: max(plan.journeyTick, Self.minWarmUp))
        let before = try await snapshot()
        try await Task.sleep(for: .seconds(seconds))
        return PipelineRow(
            parties: plan.parties,
            interval: plan.journeyTick,
            before: before,
            after: try await snapshot()
        )
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
                + "the node's histogram.",
            "NODE, PEER and POSTGRES: the cores that each used. PEER is the simulator, in the last row the "
                + "accepting server. UNSENT pushes were too late for their lease, or had no connection. LOST: leases.",
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
        let (accepted, unsent) = (difference(\.acceptedPushes), difference(\.unsentPushes))
        let latencies = after.latencies - before.latencies
        return [
            .count("parties", "PARTIES", parties),
            .number("intervalSeconds", "TICK S", interval / .seconds(1), digits: 1),
            .number("ticksPerSecond", "TICKS/S", Double(parties) / (interval / .seconds(1))),
            .number("pushesPerSecond", "PUSHES/S", accepted / seconds),
            .count("rejectedPushes", "REJECTED", Int(difference(\.pushes) - accepted - unsent)),
            .count("unsentPushes", "UNSENT", Int(unsent)),
            .count("lostLeases", "LOST", Int(difference(\.lostLeases))),
            .number("p50Milliseconds", "P50 MS", latencies.percentile(50).map { $0 * 1_000 }, digits: 1),
            .number("p99Milliseconds", "P99 MS", latencies.percentile(99).map { $0 * 1_000 }, digits: 1),
            .number("nodeCores", "NODE", difference(\.nodeSeconds) / seconds, digits: 2),
            .number("peerCores", "PEER", difference(\.peerSeconds) / seconds, digits: 2),
            .number("postgresCores", "POSTGRES", difference(\.postgresSeconds) / seconds, digits: 2),
        ]
    }
}

/// The cumulative counts and CPU times at one moment.
struct PipelineSnapshot: Sendable {
    let at: ContinuousClock.Instant
    let metrics: MetricsText
    let nodeSeconds: Double
    let peerSeconds: Double
    let postgresSeconds: Double

    var pushes: Double { metrics.sum("rangers_pushes_total") }
    var acceptedPushes: Double { metrics.sum("rangers_pushes_total", with: #"status="200""#) }
    var unsentPushes: Double { metrics.sum("rangers_pushes_total", with: #"status="unsent""#) }
    var lostLeases: Double { metrics.sum("rangers_dispatcher_leases_lost_total") }
    var latencies: HistogramSnapshot { metrics.histogram("rangers_push_commit_to_response_seconds") }
}

extension SimulatorClient {
    private static let concurrentPhones = 4

    /// Adds a device for each party of a plan, with an activity for each hero.
    /// - Returns: the devices by party, each with its push tokens by seat.
    /// - Throws: the simulator's error.
    func addDevices(of plan: FixturePlan, activities: @escaping @Sendable (_ party: Int) -> Int) async throws
        -> [(id: UUID, tokens: [[UInt8]])]
    {
        try await concurrently(plan.parties, limit: Self.concurrentPhones) { number in
            let id = try await addPhone(label: "\(number)", locale: "en", frequentPushesEnabled: true)
            var tokens: [[UInt8]] = []
            for seat in 0..<activities(number) {
                let token = try await start(
                    plan.activityID(number, seat: seat),
                    of: plan.adventureID(number),
                    on: id,
                    heroName: "Ranger",
                    partyName: "The Rangers"
                )
                tokens.append(Array(token))
            }
            return (id, tokens)
        }
    }
}
