import ArgumentParser
import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import ServiceRuntime
import SimulatedPlayers

/// `rangers-bench fan-out`: the time in which one update reaches many phones.
struct FanOutBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "fan-out",
        abstract:
            "Updates many phones at the same moment, with faults, and times each update until its last push arrives.",
        discussion: """
            The load of an incident that another sender of Live Activities published: 30,000 activities are started within \
            minutes, then 12,139 of them are updated 153 times, which took that sender 1,338 s for half of the updates and \
            2,315 s for one in twenty.

            Starts a node with all roles, a private PostgreSQL whose commits reach the disk, and the APNs simulator, each as \
            a process of its own on this machine; rangersd and apns-simulator are those in the folder of this program, with a \
            cadence that pushes each tick at once. Four activities show one adventure. The journeys of the activities to update start \
            together, so that they tick at the same moment, every \(interval.text): a tick is an update. The other \
            activities show fights that stand still. A journey has too few ticks for all updates, so they take several \
            rounds of \(maxUpdates) at most, each with new activities.

            The simulator leaves \(Int(stalls * 100)) % of the pushes without an answer, each on a stream that stays open \
            until the node gives up, and one token in \(deadShare) expires before the updates. An update is complete when a \
            push with its state, or a newer one, has arrived for each of the other tokens, answered or not; its time counts \
            from the moment of the tick. An incomplete update is a failure, and so is a push to a token that the simulator \
            has rejected as expired.

            JSON: {updates, tokens, activities, p50Seconds, p95Seconds, maxSeconds, pushP50Seconds, pushP99Seconds, \
            incompleteUpdates, expiredTokens, repeatedPushes, unansweredPushes, rows: [{round, updates, p50Seconds, \
            p95Seconds, maxSeconds, nodeCores, simulatorCores, postgresCores}]}.
            """
    )
    static let reportsSpeed = true
    /// The time between two updates: longer than the timeout of a push and its second try.
    static let interval = Duration.seconds(15)
    /// The shortest journeys of the last region have 88 ticks.
    private static let maxUpdates = 77
    private static let stalls = 0.01
    private static let deadShare = 500

    @Option(help: ArgumentHelp("The number of activities that are started.", valueName: "count")) var activities =
        30_000

    @Option(help: ArgumentHelp("The number of tokens that each update goes to.", valueName: "count")) var tokens =
        12_139

    @Option(help: ArgumentHelp("The number of updates.", valueName: "count")) var updates = 153

    @Option(help: ArgumentHelp("The time in which the activities are started.", valueName: "seconds")) var starting =
        120

    @OptionGroup var options: ReportOptions

    func validate() throws {
        // The simulator's limit of devices, each with four activities.
        try Self.check("--activities", activities, in: 1...40_000)
        try Self.check("--tokens", tokens, in: 1...activities)
        try Self.check("--updates", updates, in: 1...10_000)
        try Self.check("--starting", starting, in: 1...150)
    }

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres()
        var rounds: [FanOutResult] = []
        var rest = updates
        while rest > 0 {
            let count = rest > Self.maxUpdates ? min((rest + 1) / 2, Self.maxUpdates) : rest
            rounds.append(try await measure(updates: count, named: "round_\(rounds.count)", on: server))
            rest -= count
        }
        return Self.report(rounds, tokens: tokens, activities: activities)
    }

    private func measure(updates: Int, named database: String, on server: BenchmarkPostgres) async throws
        -> FanOutResult
    {
        let launcher = try await ServiceLauncher()
        // A journey ticks while the activities start.
        let firstUpdate = Int((.seconds(starting + 10) / Self.interval).rounded(.up)) + 1
        let ticks = firstUpdate + updates
        let crowd = FanOutCrowd(activities: activities, tokens: tokens, lasting: Self.interval * ticks)
        let simulator = try launcher.startSimulator(["--logged-pushes", "\(4 * activities)"])
        defer { simulator.kill() }
        let ports = try await simulator.ports()
        let client = SimulatorClient(at: try ports.httpURL)
        let devices = try await client.addDevices(of: crowd.plan(at: Runtime.system.now())) { crowd.activities(of: $0) }
        let plan = crowd.plan(at: Runtime.system.now() + .seconds(15) + .milliseconds(1) * crowd.parties)
        let node = try await LiveNode(
            "api,engine,dispatcher",
            by: launcher,
            apnsPort: ports.apnsPort,
            on: server,
            database: database,
            playing: plan
        )
        defer { node.program.kill() }
        try await Task.sleep(for: max(plan.start - Runtime.system.now(), .zero))
        try await crowd.register(devices.map(\.tokens), of: plan, on: node.uri, within: .seconds(starting))
        for (index, (number, seat)) in crowd.phones(of: plan).enumerated() where index % Self.deadShare == 0 {
            // The app does not register the new token.
            _ = try await client.rotateToken(of: plan.activityID(number, seat: seat), on: devices[number].id)
        }
        try await client.add(PushFault(.stall, probability: Self.stalls))
        func usage() async throws -> [Double] {
            [
                ProcessUsage.cpuSeconds(of: node.program.processIdentifier),
                ProcessUsage.cpuSeconds(of: simulator.processIdentifier), try await server.usage().cpuSeconds,
            ]
        }

        var log = FanOutLog(of: crowd.updated(of: plan))
        log.add(try await client.pushes(after: 0), dueAt: nil, before: plan.start + Self.interval * firstUpdate)
        let before = try await usage()
        var progress = Progress(of: updates)
        for update in firstUpdate..<ticks {
            let due = plan.start + Self.interval * update
            // The log is read when it disturbs nothing any more.
            let next = due + Self.interval
            try await Task.sleep(for: max(next - .seconds(3) - Runtime.system.now(), .zero))
            log.add(try await client.pushes(after: log.lastNumber), dueAt: due, before: next)
            progress.advance()
        }
        let cores = zip(try await usage(), before).map { ($0 - $1) / (Self.interval * updates / .seconds(1)) }
        return FanOutResult(log: log, nodeCores: cores[0], simulatorCores: cores[1], postgresCores: cores[2])
    }

    /// Returns the report of all rounds.
    static func report(_ rounds: [FanOutResult], tokens: Int, activities: Int) -> Report {
        let all = FanOutResult.times(rounds.flatMap(\.log.completions))
        let arrivals = FanOutResult.times(rounds.flatMap(\.log.arrivals))
        func sum(_ value: (FanOutLog) -> Int) -> Int { rounds.reduce(0) { $0 + value($1.log) } }
        let (incomplete, repeated) = (sum(\.incompleteUpdates), sum(\.repeatedPushes))
        var report = Report()
        report.set(["updates": sum { $0.completions.count + $0.incompleteUpdates }, "tokens": tokens])
        report.set("activities", activities)
        report.set(["p50Seconds": all.p50, "p95Seconds": all.p95, "maxSeconds": all.max])
        report.set(["pushP50Seconds": arrivals.p50, "pushP99Seconds": arrivals.p99])
        report.set(["incompleteUpdates": incomplete, "expiredTokens": sum(\.expiredTokens)])
        report.set(["repeatedPushes": repeated, "unansweredPushes": sum(\.unansweredPushes)])
        report.add(rounds.enumerated().map { $1.row($0 + 1) }, as: "rows")
        func text(_ seconds: Double?) -> String { seconds.map { "\($0.grouped(digits: 2)) s" } ?? "-" }
        report.add([
            "An update to \(tokens.grouped) of \(activities.grouped) activities is complete after \(text(all.p50)) (p50), "
                + "\(text(all.p95)) (p95), \(text(all.max)) (maximum); a push arrives after \(text(arrivals.p50)) (p50), "
                + "\(text(arrivals.p99)) (p99).",
            "\(sum(\.unansweredPushes).grouped) pushes got no answer; \(sum(\.expiredTokens).grouped) tokens had expired, and "
                + "\(repeated.grouped) pushes repeated one to an expired token.",
        ])
        if incomplete > 0 { report.fail("\(incomplete.grouped) updates did not reach every token.") }
        if repeated > 0 { report.fail("\(repeated.grouped) pushes went to tokens that were known to have expired.") }
        return report
    }
}

/// The result of one round.
struct FanOutResult {
    let log: FanOutLog
    let nodeCores: Double
    let simulatorCores: Double
    let postgresCores: Double

    /// Returns percentiles in seconds; nil without values.
    static func times(_ values: [Duration]) -> (p50: Double?, p95: Double?, p99: Double?, max: Double?) {
        func percentile(_ percent: Int) -> Double? { values.isEmpty ? nil : values.percentile(percent) / .seconds(1) }
        return (percentile(50), percentile(95), percentile(99), percentile(100))
    }

    func row(_ round: Int) -> Report.Row {
        let times = Self.times(log.completions)
        return [
            .count("round", "ROUND", round), .count("updates", "UPDATES", log.completions.count),
            .number("p50Seconds", "P50 S", times.p50, digits: 2), .number("p95Seconds", "P95 S", times.p95, digits: 2),
            .number("maxSeconds", "MAX S", times.max, digits: 2), .number("nodeCores", "NODE", nodeCores, digits: 2),
            .number("simulatorCores", "SIMULATOR", simulatorCores, digits: 2),
            .number("postgresCores", "POSTGRES", postgresCores, digits: 2),
        ]
    }
}
