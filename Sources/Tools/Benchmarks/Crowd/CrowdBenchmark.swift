import ArgumentParser
import Encodings
import Foundation
import GameStore
import ServiceRuntime

/// `rangers-bench crowd`: the time from when a push is due until it is accepted, for many parties at the default pace.
struct CrowdBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "crowd",
        abstract: "Plays many parties at the default pace, and times each push from when it was due.",
        discussion: """
            Starts a node with all roles, a private PostgreSQL whose commits reach the disk, and the server of `push`, which \
            accepts every push, each as a process of its own on this machine; rangersd is that in the folder of this \
            program, with its default cadence, ticks and turns. Parties of four, half of them on a journey and half in a \
            fight, are stored by COPY, with adventures of many ages. Two phones of each party have frequent pushes. All \
            heroes act by policy, and players send \(CrowdCommands.perSecond) commands a second. Adventures that end are not \
            replaced; few end before the last tenth of the run.

            The server writes down when each push arrived and which events it shows. After the run, the events of each \
            adventure are derived with their moments. A push is due from the moment of the first event that the phone does \
            not show, which is the tick or the command itself and not the move of the clock that commits it. If the cadence \
            imposes a wait after the pushes before, the push is due from its end: the spacing, which counts from when the \
            previous push was sent (its arrival less the mean time of a request), and the budget of priority 10. This wait \
            is the only one that does not count. A push that was due at the end of the run, and more than a second late, \
            counts with its lateness so far, and an alert that was cancelled more than a second after it was due counts \
            until then.

            A push of priority 10 is beyond the budget if the default cadence does not allow it. An alert is lost if a later \
            push of the phone goes without it, more than ten seconds after it was due, or if it is a minute overdue at the \
            end. Both are failures. 100,000 parties take 2 GB of disk and 2 GB of memory.

            JSON: {parties, phones, livePhones, seconds, pushesPerSecond, p50Milliseconds, p99Milliseconds, \
            alertP50Milliseconds, alertP99Milliseconds, commandsPerSecond, commandP99Milliseconds, overduePushes, \
            lapsedAlerts, lostAlerts, pushesBeyondBudget, nodeMicrosecondsPerPush, residentBytes, bytesPerActivity, \
            processes: [{process, cores}], rows: [{phones, pushesPerSecond, p50Milliseconds, p99Milliseconds, \
            alertP50Milliseconds, alertP99Milliseconds}]}; times are null without a push.
            """
    )
    static let reportsSpeed = true
    /// The time in which the parties are stored: a fixed one, and one for each party.
    private static let loading = (base: Duration.seconds(15), party: Duration.milliseconds(1))

    @Option(help: ArgumentHelp("The number of parties.", valueName: "count")) var parties = 100_000

    @Option(help: ArgumentHelp("The measured time.", valueName: "seconds")) var seconds = 600

    @Option(help: ArgumentHelp("The time before it, in which phones get their first pushes.", valueName: "seconds"))
    var warmUp = 60

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--parties", parties, in: 10...1_000_000)
        try Self.check("--seconds", seconds, in: 5...3_600)
        try Self.check("--warm-up", warmUp, in: 0...3_600)
    }

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres()
        let launcher = try await ServiceLauncher()
        let record = launcher.folder.path("arrivals")
        let peer = try launcher.startAcceptingServer(recordingTo: record)
        defer { peer.kill() }
        let length = Duration.seconds(warmUp + seconds)
        // The games begin when everything is stored and the node follows it: a clock in the past would be an outage.
        let start = Runtime.system.now() + Self.loading.base + Self.loading.party * parties
        let plan = FixturePlan.crowd(parties: parties, lasting: length, at: start)
        let node = try await LiveNode(
            "api,engine,dispatcher",
            by: launcher,
            apnsPort: try await peer.port(),
            on: server,
            database: "crowd",
            playing: plan,
            hasDefaultPace: true,
            tokens: plan.tokens
        )
        defer { node.program.kill() }
        let commands = try await CrowdCommands(for: plan, on: node.uri)
        let margin = plan.start - Runtime.system.now()
        if margin > .zero {
            try await Task.sleep(for: margin)
        } else {
            Progress.log("The parties were stored \((.zero - margin).text) too late; their games stood still so long.")
        }
        let port = node.ports.httpPort ?? 0
        async let sent = Result { try await commands.send(to: port, for: length) }
        try await Task.sleep(for: .seconds(warmUp))
        let before = try await CrowdSnapshot(of: node, peer, server)
        try await Task.sleep(for: .seconds(seconds))
        let after = try await CrowdSnapshot(of: node, peer, server)
        let commandResult = await sent
        node.program.kill()
        try await Task.sleep(for: PushArrivalLog.delay)
        peer.kill()
        let window = CrowdWindow(start: before.at, end: after.at, transit: after.meanRequest(since: before))
        let findings = try await CrowdFindings(
            plan,
            in: GameStore(pool: BenchmarkPostgres.pool(node.uri)),
            try PushArrival.read(from: record),
            during: window
        )
        return Self.report(
            CrowdResult(parties: parties, before: before, after: after, findings: findings, commands: commandResult)
        )
    }
}

extension Result where Failure == any Error {
    /// Captures the outcome of asynchronous work.
    fileprivate init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}

/// The cumulative counts and CPU times at one moment.
struct CrowdSnapshot: Sendable {
    let at: Timestamp
    let metrics: MetricsText
    /// The CPU time of each process, by its name.
    let cpuSeconds: [String: Double]

    init(at moment: Timestamp, metrics: MetricsText, cpuSeconds: [String: Double]) {
        (at, self.metrics, self.cpuSeconds) = (moment, metrics, cpuSeconds)
    }

    fileprivate init(of node: LiveNode, _ peer: ChildProgram, _ server: BenchmarkPostgres) async throws {
        self.init(
            at: Runtime.system.now(),
            metrics: try node.metrics(),
            cpuSeconds: [
                "node": ProcessUsage.cpuSeconds(of: node.program.processIdentifier),
                "PostgreSQL": try await server.usage().cpuSeconds,
                "push server": ProcessUsage.cpuSeconds(of: peer.processIdentifier),
                "commands": ProcessUsage.ownCPUSeconds,
            ]
        )
    }

    /// Returns the mean time of a request to APNs since an earlier snapshot, by the node's histogram.
    func meanRequest(since earlier: Self) -> Duration {
        func difference(_ part: String) -> Double {
            let name = "rangers_push_request_duration_seconds_\(part)"
            return metrics.sum(name) - earlier.metrics.sum(name)
        }
        let count = difference("count")
        return count > 0 ? .seconds(difference("sum") / count) : .zero
    }
}

/// The result of a run.
struct CrowdResult: Sendable {
    let parties: Int
    let before: CrowdSnapshot
    let after: CrowdSnapshot
    let findings: CrowdFindings
    let commands: Result<HTTPLoad.Result, any Error>
}

extension CrowdBenchmark {
    /// Returns the report of a run.
    static func report(_ result: CrowdResult) -> Report {
        let (before, after, total) = (result.before, result.after, result.findings.total)
        let seconds = (after.at - before.at) / .seconds(1)
        func cores(_ process: String) -> Double {
            ((after.cpuSeconds[process] ?? 0) - (before.cpuSeconds[process] ?? 0)) / seconds
        }
        let rows = CrowdFindings.Group.all.map { row($0.name, result.findings.groups[$0] ?? .init(), seconds) }
        let all = row("all", total, seconds)
        let phones = result.parties * FixturePlan.heroes
        let live = Int(after.metrics.sum("rangers_dispatcher_activities"))
        let resident = after.metrics.sum("process_resident_memory_bytes")
        let bytes = resident / Double(max(live, 1))
        let perPush = cores("node") * seconds * 1_000_000 / Double(max(total.pushes, 1))
        let commands = try? result.commands.get()

        var report = Report()
        report.set(["parties": result.parties, "phones": phones, "livePhones": live, "seconds": seconds])
        report.set(
            ["pushesPerSecond", "p50Milliseconds", "p99Milliseconds", "alertP50Milliseconds", "alertP99Milliseconds"],
            from: all
        )
        report.set(["commandsPerSecond": commands?.perSecond, "commandP99Milliseconds": commands?.p99Milliseconds])
        report.set(["overduePushes": total.overduePushes, "lapsedAlerts": total.lapsedAlerts])
        report.set(["lostAlerts": total.lostAlerts, "pushesBeyondBudget": total.pushesBeyondBudget])
        report.set(["nodeMicrosecondsPerPush": perPush, "residentBytes": Int(resident), "bytesPerActivity": bytes])
        report.add(rows + [all], as: "rows")
        report.add(
            ["node", "PostgreSQL", "push server", "commands"].map { process in
                [.text("process", "PROCESS", process), .number("cores", "CORES", cores(process), digits: 2)]
            },
            as: "processes"
        )
        let length = seconds.grouped(digits: 1)
        let cost = (cpu: perPush.grouped(digits: 1), bytes: bytes.grouped())
        let commandText = commands.map {
            "\($0.perSecond.grouped()) commands a second, p99 \($0.p99Milliseconds.grouped(digits: 1)) ms."
        }
        report.add([
            "\(result.parties.grouped) parties with \(phones.grouped) phones for \(length) s; the node followed "
                + "\(live.grouped) at the end.",
            "Times are from when a push was due until it was accepted; see --help.",
            "The node took \(cost.cpu) µs of CPU time for each push, and \(cost.bytes) resident bytes for each activity "
                + "that it followed at the end.",
            "\(total.overduePushes.grouped) pushes were more than a second overdue at the end; "
                + "\(total.lapsedAlerts.grouped) alerts were cancelled more than a second after they were due.",
            commandText ?? "The commands failed.",
        ])
        if case .failure(let error) = result.commands {
            report.fail("The commands failed: \((error as? BenchmarkFailure)?.explanation ?? "\(error)")")
        }
        if total.pushesBeyondBudget > 0 {
            report.fail("\(total.pushesBeyondBudget.grouped) pushes of priority 10 were beyond the budget.")
        }
        if total.lostAlerts > 0 { report.fail("\(total.lostAlerts.grouped) alerts were lost.") }
        return report
    }

    private static func row(_ name: String, _ findings: PhoneFindings, _ seconds: Double) -> Report.Row {
        func milliseconds(_ waits: [Duration], _ percent: Int) -> Double? {
            waits.isEmpty ? nil : waits.percentile(percent) / .milliseconds(1)
        }
        return [
            .text("phones", "PHONES", name),
            .number("pushesPerSecond", "PUSHES/S", Double(findings.pushes) / seconds),
            .number("p50Milliseconds", "P50 MS", milliseconds(findings.waits, 50)),
            .number("p99Milliseconds", "P99 MS", milliseconds(findings.waits, 99)),
            .number("alertP50Milliseconds", "ALERT P50", milliseconds(findings.alertWaits, 50)),
            .number("alertP99Milliseconds", "ALERT P99", milliseconds(findings.alertWaits, 99)),
        ]
    }
}
