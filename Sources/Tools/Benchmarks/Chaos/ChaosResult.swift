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
                .count("bytesAtMost", "MAX", memory.highest, per: 1_000_000),
                .count("bytesAfter", "AFTER", memory.last, per: 1_000_000),
                .count("vainStarts", "FAILED STARTS", failedStarts),
                .count("deaths", "UNEXPECTED EXITS", unexpectedExits),
            ]
        }
    }

    let seed: UInt64
    /// The command that repeats the plan.
    let command: String
    let faults: [InjectedFault]
    let load: RequestJournal.Tally
    let acceptedPushes: Int
    let activities: Int
    /// The activities whose last token the service does not know.
    let abandonedActivities: Int
    let ticksPerSecond: (before: Double?, during: Double?, after: Double?)
    let nodes: [Node]
    let check: InvariantResults
    /// All failures that are not violations of invariants, as sentences.
    let complaints: [String]
    let seconds: Double

    /// Whether the run has no failure.
    var holds: Bool { check.holds && complaints.isEmpty && nodes.allSatisfy { $0.unexpectedExits == 0 } }

    var report: Report {
        func text(_ number: Double?) -> String { number?.grouped(digits: 1) ?? "-" }
        let requests = load.requests.sorted { $0.key < $1.key }.map { status, count in
            "\(count.grouped) \(status == 0 ? "without a response" : "× \(status)")"
        }
        let takeover = LongestTakeover(in: faults, \.dispatcherWait)
        let engineTakeover = LongestTakeover(in: faults, \.engineWait)
        let ticks = ticksPerSecond

        var report = Report()
        report.set("seed", seed)
        report.set("command", command)
        report.set("faults", faults.map(\.row))
        report.add(faults.sorted { $0.atSeconds < $1.atSeconds }.map(\.row))
        report.set("load", load)
        report.set("acceptedPushes", acceptedPushes)
        report.set("cards", ["all": activities, "abandoned": abandonedActivities])
        report.set(
            "ticksPerSecond",
            [.value("before", ticks.before), .value("during", ticks.during), .value("after", ticks.after)] as Report.Row
        )
        report.set("takeoverSeconds", takeover.seconds)
        report.set("takeover", takeover)
        report.set("engineTakeover", engineTakeover)
        report.add([
            "Requests: " + requests.joined(separator: ", "),
            "Writes acknowledged: \(load.acknowledged.grouped); repeated and answered again: \(load.repeated.grouped)",
            "Pushes accepted: \(acceptedPushes.grouped); activities: \(activities), \(abandonedActivities) of them with a "
                + "token that the service does not know",
            "Ticks per second: \(text(ticks.before)) before, \(text(ticks.during)) during, \(text(ticks.after)) after",
            "Longest takeover: \(takeover.description) by dispatchers, \(engineTakeover.description) by engines",
        ])
        report.add(nodes.map(\.row), as: "nodes")
        check.add(to: &report)
        report.add(complaints.map { "complaint: \($0)" })
        report.set("complaints", complaints)
        report.set("violations", check.violations + complaints)
        report.set("seconds", seconds)
        let slowest = faults.compactMap { fault in fault.recoverySeconds.map { (fault.description, $0) } }.max {
            $0.1 < $1.1
        }
        let recovery = slowest.map { "; the slowest recovery took \(text($1)) s (\($0))" } ?? ""
        let outcome = holds ? "all invariants hold" : "the run failed"
        report.add(["\(faults.count) faults in \(seconds.grouped()) s, \(outcome)\(recovery)."])
        if !holds { report.fail("The run failed; repeat it with: \(command)") }
        return report
    }
}

/// A fault that was injected.
struct InjectedFault: Sendable {
    /// The time since the beginning of the plan.
    let atSeconds: Double
    let target: ChaosFault.Target
    let isOutage: Bool
    let description: String
    /// The actual duration.
    let seconds: Double
    /// The time from its end until all other nodes are ready and APNs accepts a push; nil when that took too long.
    let recoverySeconds: Double?
    /// The takeover from a node that was killed or stopped; nil for other faults.
    let takeover: Takeover.Times?
    let note: String

    /// The time from its beginning to recovery.
    var span: ClosedRange<Double> { atSeconds...atSeconds + seconds + (recoverySeconds ?? 0) }

    var row: Report.Row {
        [
            .number("atSeconds", "AT S", atSeconds, digits: 1), .value("place", target), .value("isOutage", isOutage),
            .text("what", "FAULT", description), .number("seconds", "DURATION S", seconds, digits: 1),
            .number("recoverySeconds", "RECOVERY S", recoverySeconds, digits: 1), .value("takeover", takeover),
            .number(nil, "TAKEOVER S", takeover?.dispatcherSeconds, digits: 1),
            .number(nil, "ENGINE S", takeover?.engineSeconds, digits: 1), .text("note", "NOTE", note),
        ]
    }
}

/// The longest takeover, without those that overlap an outage.
struct LongestTakeover: Encodable, Hashable, Sendable, CustomStringConvertible {
    private enum CodingKeys: String, CodingKey {
        case seconds, counted
        case nodeFaults = "blows"
    }

    /// The duration; nil when no takeover counts.
    let seconds: Double?
    /// The number of takeovers that count.
    let counted: Int
    /// The number of killed and stopped nodes.
    let nodeFaults: Int

    /// Finds the longest takeover.
    /// - Parameters:
    ///   - faults: all faults, in any order.
    ///   - wait: returns the span of a wait for a takeover, in seconds since the fault; nil when no node took over, or
    ///     when nothing was due. A wait that overlaps an outage does not count, since no node can take over then.
    init(in faults: [InjectedFault], _ wait: (Takeover.Times) -> ClosedRange<Double>?) {
        let outages = faults.filter(\.isOutage).map(\.span)
        let waits = faults.compactMap { fault in
            fault.takeover.flatMap(wait).flatMap { wait in
                let span = fault.atSeconds + wait.lowerBound...fault.atSeconds + wait.upperBound
                return outages.contains { $0.overlaps(span) } ? nil : wait.upperBound - wait.lowerBound
            }
        }
        seconds = waits.max()
        counted = waits.count
        nodeFaults = faults.count { $0.takeover != nil }
    }

    var description: String {
        let text = seconds.map { $0.grouped(digits: 1) + " s" } ?? "-"
        return "\(text) (\(counted) of \(nodeFaults) counted)"
    }
}
