import CommandLineSupport
import Foundation

/// What a campaign has come to so far.
struct CampaignTally: Encodable {
    /// How wide the bar is at most, and at least, in columns.
    private static let barColumns = 5...24

    let campaign: String
    let boss: String
    let dryRun: Bool
    private(set) var parties = 0
    private(set) var started: [CampaignAnswer.Fight] = []
    private(set) var wouldStart: [String] = []
    private(set) var busy = 0
    private(set) var already = 0
    private(set) var served: [CampaignAnswer.Fight] = []
    private(set) var empty = 0
    private(set) var failed: [CampaignAnswer.Failure] = []

    init(campaign: String, boss: String, dryRun: Bool) {
        self.campaign = campaign
        self.boss = boss
        self.dryRun = dryRun
    }

    /// How many parties were looked at.
    var seen: Int { started.count + wouldStart.count + busy + already + empty + failed.count }

    mutating func add(_ answer: CampaignAnswer) {
        parties = answer.parties ?? parties
        started += answer.started
        wouldStart += answer.wouldStart
        busy += answer.busy
        already += answer.already
        served += answer.served
        empty += answer.empty
        failed += answer.failed
    }

    /// How far it has come, in one line.
    /// - Parameter width: the terminal's columns, nil for no terminal; where there is room a bar comes first.
    /// - Returns: a line that is not wider.
    func progress(fitting width: Int?) -> String {
        // Parties come and go meanwhile.
        let share = parties == 0 ? 1 : min(1, Double(seen) / Double(parties))
        let fights = dryRun ? wouldStart.count : started.count
        let text = "\(seen) of \(max(seen, parties)) parties, \(fights) \(fights == 1 ? "fight" : "fights")"
        let line = "\(Int(share * 100)) % · \(text)"
        guard let width else { return line }
        let columns = min(width - DisplayWidth.of(line) - 1, Self.barColumns.upperBound)
        guard columns >= Self.barColumns.lowerBound else { return DisplayWidth.fit(line, into: width) }
        let filled = Int(share * Double(columns))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: columns - filled) + " " + line
    }

    /// What it came to, by outcome.
    func lines(fitting width: Int?) -> [String] {
        let outcomes = [
            dryRun ? ("would start", wouldStart.count) : ("started", started.count),
            ("served before", already), ("busy", busy), ("empty", empty), ("failed", failed.count),
        ]
        let table = Table(
            [.init("OUTCOME"), .init("PARTIES", isNumber: true)],
            rows: outcomes.map { [$0, "\($1)"] } + [["all", "\(seen)"]]
        )
        let failures = failed.map { Printable.text("Party \($0.partyID): \($0.reason)") }
        return ["Campaign \(campaign): \(boss)" + (dryRun ? ", nothing was changed" : ""), ""]
            + table.lines(fitting: width) + (failures.isEmpty ? [] : [""]) + failures
            + (leftOut(fitting: width).map { [""] + $0 } ?? [])
    }

    /// Who has had no fight of the campaign, and how they get one.
    private func leftOut(fitting width: Int?) -> [String]? {
        guard busy > 0, !dryRun else { return nil }
        let text = """
            \(busy == 1 ? "1 party was" : "\(busy) parties were") on an adventure, and left out: once \
            \(busy == 1 ? "it is" : "they are") idle, the same with --campaign \(campaign) sets the boss on \
            \(busy == 1 ? "it" : "them").
            """
        return Paragraph(beginning: "", text: text).lines(fitting: width)
    }

    /// One object, with every party by name.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// How long to wait so that no more fights begin in a second than are allowed.
struct CampaignPace {
    /// No request begins more fights, so that each is answered soon.
    private static let mostAtOnce = 50

    let rate: Int

    /// How many fights one request may begin: a second's at most, so that the pace is even.
    var limit: Int { min(rate, Self.mostAtOnce) }

    /// From the beginning, the time before which the next fight may not begin.
    func due(after started: Int) -> Duration { .seconds(1) * started / rate }
}
