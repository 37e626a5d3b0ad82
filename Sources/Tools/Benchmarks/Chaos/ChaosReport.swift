import CommandLineSupport

/// What was done to a running service, how it took that, and whether what must be true was true.
struct ChaosReport: Report {
    /// The rates in it compare a run with itself.
    static let isAboutSpeed = false

    /// A node and its memory.
    struct Node: Encodable, Sendable {
        /// From one, as in the faults' words.
        let number: Int
        let roles: String
        /// Resident, when the faults began.
        let bytesBefore: Int
        let bytesAtMost: Int
        /// Once everything was over.
        let bytesAfter: Int
        /// How often it was started in vain, as when the database was away.
        let vainStarts: Int
        /// How often it ended by itself after it had served.
        let deaths: Int
    }

    /// How many cards there were.
    struct Cards: Encodable, Sendable {
        let all: Int
        let abandoned: Int
    }

    /// Ticks a second; nil where too little was seen.
    struct Ticks: Encodable, Sendable {
        let before: Double?
        let during: Double?
        let after: Double?
    }

    let seed: UInt64
    /// What repeats the run, as far as the machine does.
    let command: String
    let faults: [ChaosRun.Done]
    let load: ChaosJournal.Tally
    let acceptedPushes: Int
    /// What showed adventures on phones, and how much of that had a token in the end that the service was never told.
    let cards: Cards
    let ticksPerSecond: Ticks
    /// The seconds of `takeover`, under the name that scripts know.
    let takeoverSeconds: Double?
    /// How long it took, at the longest, until what a dispatcher had sent for that died or stood still was sent for by
    /// others.
    let takeover: LongestTakeover
    /// The same, until what was due at the blow, or else first after it, was played.
    let engineTakeover: LongestTakeover
    let nodes: [Node]
    let verdict: Verdict
    /// What else was not as it must be.
    let complaints: [String]
    /// All that did not hold, in sentences.
    let violations: [String]
    let seconds: Double

    /// Whether all was well.
    var holds: Bool { verdict.holds && complaints.isEmpty && nodes.allSatisfy { $0.deaths == 0 } }

    func lines(fitting width: Int?) -> [String] {
        var lines = faultTable.lines(fitting: width) + [""] + loadLines + [""]
        lines += nodeTable.lines(fitting: width) + [""] + verdict.lines(fitting: width)
        lines += complaints.map { "not as it must be: \($0)" }
        return lines + ["", closing]
    }

    /// Refuses a report in which something did not hold.
    func check() throws(MeasurementFailure) {
        guard !holds else { return }
        throw MeasurementFailure("something did not hold; repeat it by: \(command)")
    }

    /// Bytes as whole megabytes, of 1,000,000 bytes.
    static func megabytes(_ bytes: Int) -> String { NumberText.text(Double(bytes) / 1_000_000) }

    private static func text(_ seconds: Double?) -> String {
        seconds.map { NumberText.text($0, digits: 1) } ?? "-"
    }

    private var faultTable: Table {
        Table(
            [
                .init("AT S", isNumber: true), .init("FAULT"), .init("LASTED S", isNumber: true),
                .init("RECOVERY S", isNumber: true), .init("TAKEOVER S", isNumber: true),
                .init("ENGINE S", isNumber: true), .init("NOTE"),
            ],
            rows: faults.sorted { $0.atSeconds < $1.atSeconds }.map { fault in
                [
                    NumberText.text(fault.atSeconds, digits: 1), fault.what, NumberText.text(fault.seconds, digits: 1),
                    Self.text(fault.recoverySeconds), Self.text(fault.takeover?.dispatcherSeconds),
                    Self.text(fault.takeover?.engineSeconds), fault.note,
                ]
            }
        )
    }

    private var loadLines: [String] {
        let requests = load.requests.sorted { $0.key < $1.key }
            .map { status, count in "\(NumberText.text(Double(count))) \(status == 0 ? "unanswered" : "× \(status)")" }
        let rates = [
            ("before", ticksPerSecond.before), ("during", ticksPerSecond.during), ("after", ticksPerSecond.after),
        ]
        .map { when, rate in "\(Self.text(rate)) \(when)" }
        return [
            "Requests: " + requests.joined(separator: ", "),
            "Writes acknowledged: \(NumberText.text(Double(load.acknowledged))); answered once more, when sent again: "
                + "\(NumberText.text(Double(load.repeated)))",
            "Pushes accepted: \(NumberText.text(Double(acceptedPushes))); cards: \(cards.all), \(cards.abandoned) of them "
                + "with a token that the service was never told",
            "Ticks a second: " + rates.joined(separator: ", "),
            "Takeover, at the longest: \(takeover.words) by dispatchers, \(engineTakeover.words) by engines",
        ]
    }

    private var nodeTable: Table {
        Table(
            [
                .init("NODE", isNumber: true), .init("ROLES"), .init("MB BEFORE", isNumber: true),
                .init("AT MOST", isNumber: true), .init("AFTER", isNumber: true),
                .init("STARTED IN VAIN", isNumber: true),
                .init("DEATHS", isNumber: true),
            ],
            rows: nodes.map { node in
                [
                    "\(node.number)", node.roles, Self.megabytes(node.bytesBefore),
                    Self.megabytes(node.bytesAtMost), Self.megabytes(node.bytesAfter), "\(node.vainStarts)",
                    "\(node.deaths)",
                ]
            }
        )
    }

    private var closing: String {
        let slowest = faults.compactMap { fault in fault.recoverySeconds.map { (fault.what, $0) } }
            .max { $0.1 < $1.1 }
        let words = slowest.map { "; the slowest recovery took \(NumberText.text($1, digits: 1)) s (\($0))" } ?? ""
        let outcome = holds ? "what must be true was true" : "something did not hold"
        return "\(faults.count) faults in \(NumberText.text(seconds)) s, \(outcome)\(words)."
    }
}
