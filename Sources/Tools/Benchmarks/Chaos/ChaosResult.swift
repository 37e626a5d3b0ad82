/// The result of a run: the faults, the recovery, and the check of the invariants.
struct ChaosResult {
    /// A node and its memory.
    struct Node {
        /// The node's number, from 1.
        let number: Int
        let roles: String
        let memory: ChaosObserver.Memory
        /// The number of starts that failed, for example while the database was down.
        let failedStarts: Int
        /// The number of exits without a fault.
        let unexpectedExits: Int

        var row: Report.Row {
            [
                .count("number", "NODE", number), .text("roles", "ROLES", roles),
                .count("bytesBefore", "MB BEFORE", memory.first, per: 1_000_000),
                .count("maxBytes", "MAX", memory.highest, per: 1_000_000),
                .count("bytesAfter", "AFTER", memory.last, per: 1_000_000),
                .count("failedStarts", "FAILED STARTS", failedStarts),
                .count("unexpectedExits", "UNEXPECTED EXITS", unexpectedExits),
            ]
        }
    }

    /// The maximum number of printed contradictions in the history of requests.
    private static let maxFindings = 20

    let seed: UInt64
    /// The command that repeats the plan.
    let command: String
    let faults: [InjectedFault]
    let load: RequestJournal.Tally
    let acceptedPushes: Int
    let activities: Int
    /// The activities whose last token the service does not know.
    let abandonedActivities: Int
    /// The clocks moved by all nodes.
    let clockMovesPerSecond: (before: Double, during: Double, after: Double)
    let nodes: [Node]
    let check: InvariantResults
    /// The check of the requests to parties and adventures.
    let history: HistoryResults
    let raids: ChaosRaidTally
    /// The maximum time of a takeover by dispatchers; nil for none.
    let maxTakeoverSeconds: Double?
    /// All failures that are not violations of invariants, as sentences.
    let problems: [String]
    let seconds: Double

    /// Whether the run has no failure.
    var holds: Bool {
        check.holds && history.holds && !isTakeoverLate && problems.isEmpty
            && nodes.allSatisfy { $0.unexpectedExits == 0 }
    }

    private var isTakeoverLate: Bool {
        guard let maxTakeoverSeconds else { return false }
        return TakeoverStatistics(in: faults, \.dispatcherSeconds).seconds.contains { $0 > maxTakeoverSeconds }
    }

    /// Whether a node or the network had a fault at the same time, which holds up requests, too.
    private func isDisturbed(_ fault: InjectedFault) -> Bool {
        faults.contains { [.nodes, .network].contains($0.fault.target) && $0.span.overlaps(fault.span) }
    }

    var report: Report {
        let requests = load.requests.sorted { $0.key < $1.key }.map { status, count in
            "\(count.grouped) \(status == 0 ? "without a response" : "× \(status)")"
        }
        let dispatchers = TakeoverStatistics(in: faults, \.dispatcherSeconds)
        let engines = TakeoverStatistics(in: faults, \.engineSeconds)
        let moves = clockMovesPerSecond

        var report = Report()
        report.set(["seed": seed, "command": command, "faults": faults.map(\.row)])
        report.add(faults.sorted { $0.atSeconds < $1.atSeconds }.map(\.row))
        report.set(["load": load, "acceptedPushes": acceptedPushes])
        report.set("activities", ["all": activities, "abandoned": abandonedActivities])
        report.set(
            "clockMovesPerSecond",
            [.value("before", moves.before), .value("during", moves.during), .value("after", moves.after)] as Report.Row
        )
        report.set(["takeoverSeconds": dispatchers.row, "engineTakeoverSeconds": engines.row])
        let locks = faults.filter { !$0.latencies.isEmpty && !isDisturbed($0) }
        let latencies = LatencySummary(locks.flatMap(\.latencies))
        report.set(["history": history, "lockedShards": latencies.row, "raids": raids])
        report.add([
            "Requests: " + requests.joined(separator: ", "),
            "Writes acknowledged: \(load.acknowledged.grouped); repeated and answered again: \(load.repeated.grouped)",
            "Pushes accepted: \(acceptedPushes.grouped); activities: \(activities), \(abandonedActivities) of them with a "
                + "token that the service does not know",
            "Clocks moved per second: \(moves.before.grouped(digits: 1)) before, \(moves.during.grouped(digits: 1)) during, "
                + "\(moves.after.grouped(digits: 1)) after",
            "Takeover by dispatchers: \(dispatchers)", "Takeover by engines: \(engines)",
            "Requests to other shards while only shards were locked: \(latencies)", history.description,
            raids.description,
        ])
        report.add(nodes.map(\.row), as: "nodes")
        check.add(to: &report)
        report.add(history.findings.prefix(Self.maxFindings).map { "not linearizable: \($0)" })
        report.add(problems.map { "problem: \($0)" })
        let violations = check.violations + history.findings + problems
        report.set(["problems": problems, "violations": violations, "seconds": seconds])
        let slowest = faults.compactMap { fault in fault.recoverySeconds.map { (fault.fault.description, $0) } }.max {
            $0.1 < $1.1
        }
        let recovery = slowest.map { "; the slowest recovery took \($1.grouped(digits: 1)) s (\($0))" } ?? ""
        let outcome = holds ? "all invariants hold" : "the run failed"
        report.add(["\(faults.count) faults in \(seconds.grouped()) s, \(outcome)\(recovery)."])
        if let maxTakeoverSeconds, isTakeoverLate {
            report.fail("A takeover by dispatchers took more than \(maxTakeoverSeconds.grouped(digits: 1)) s.")
        }
        if !holds { report.fail("The run failed; repeat it with: \(command)") }
        return report
    }
}

/// A fault that was injected.
struct InjectedFault: Sendable {
    /// The time since the beginning of the plan.
    let atSeconds: Double
    let fault: ChaosFault
    /// The actual duration.
    let seconds: Double
    /// The time from its end until all other nodes are ready and APNs accepts a push; nil when that took too long.
    let recoverySeconds: Double?
    /// The takeover from a node that was killed or stopped; nil for other faults.
    let takeover: Takeover.Times?
    /// The seconds that requests to other shards took while shards were locked; empty for other faults.
    ///
    /// The report's percentiles leave out locks during a fault of a node or of the network.
    var latencies: [Double] = []
    let note: String

    /// The time from its beginning to recovery.
    var span: ClosedRange<Double> { atSeconds...atSeconds + seconds + (recoverySeconds ?? 0) }

    var row: Report.Row {
        [
            .number("atSeconds", "AT S", atSeconds, digits: 1), .value("target", fault.target),
            .value("isOutage", fault.isOutage), .text("fault", "FAULT", fault.description),
            .number("seconds", "DURATION S", seconds, digits: 1),
            .number("recoverySeconds", "RECOVERY S", recoverySeconds, digits: 1), .value("takeover", takeover),
            .number(nil, "TAKEOVER S", takeover?.dispatcherSeconds, digits: 1),
            .number(nil, "ENGINE S", takeover?.engineSeconds, digits: 1), .text("note", "NOTE", note),
        ]
    }
}

/// The latencies of some requests.
struct LatencySummary: Hashable, Sendable, CustomStringConvertible {
    private let seconds: [Double]

    init(_ seconds: [Double]) { self.seconds = seconds }

    /// The percentiles; null without a request.
    var row: Report.Row {
        [.value("requests", seconds.count), .value("p50", percentile(50)), .value("p99", percentile(99))]
    }

    var description: String {
        let times = [("p50", 50), ("p99", 99)].map { name, percent in
            "\(name) \(percentile(percent).map { ($0 * 1_000).grouped(digits: 1) } ?? "-") ms"
        }
        return "\(times.joined(separator: ", ")) (\(seconds.count.grouped) requests)"
    }

    private func percentile(_ percent: Int) -> Double? { seconds.isEmpty ? nil : seconds.percentile(percent) }
}

/// The times of takeovers, without those that overlap an outage.
struct TakeoverStatistics: Hashable, Sendable, CustomStringConvertible {
    /// The takeovers that count; no node can take over during an outage.
    let seconds: [Double]
    /// The number of killed and stopped nodes.
    let nodeFaults: Int

    /// Selects the takeovers that count.
    /// - Parameters:
    ///   - faults: all faults, in any order.
    ///   - wait: returns the time of a takeover, in seconds since the fault; nil when no node took over, or when nothing
    ///     was live.
    init(in faults: [InjectedFault], _ wait: (Takeover.Times) -> Double?) {
        let outages = faults.filter(\.fault.hindersTakeover).map(\.span)
        seconds = faults.compactMap { fault in
            fault.takeover.flatMap(wait).flatMap { seconds in
                let span = fault.atSeconds...fault.atSeconds + seconds
                return outages.contains { $0.overlaps(span) } ? nil : seconds
            }
        }
        nodeFaults = faults.count { $0.takeover != nil }
    }

    /// The percentiles; null without a takeover that counts.
    var row: Report.Row {
        [
            .value("p50", percentile(50)), .value("p99", percentile(99)), .value("max", percentile(100)),
            .value("counted", seconds.count), .value("nodeFaults", nodeFaults),
        ]
    }

    var description: String {
        let times = [("p50", 50), ("p99", 99), ("max", 100)].map { name, percent in
            "\(name) \(percentile(percent)?.grouped(digits: 1) ?? "-") s"
        }
        return "\(times.joined(separator: ", ")) (\(seconds.count) of \(nodeFaults) counted)"
    }

    private func percentile(_ percent: Int) -> Double? { seconds.isEmpty ? nil : seconds.percentile(percent) }
}
