import CommandLineSupport
import Foundation

/// The accumulated result of a campaign's steps.
struct CampaignResult: Encodable, HumanReadable {
    /// The minimum and maximum width of the progress bar in columns.
    private static let barColumns = 5...24

    let campaign: String
    let boss: String
    let dryRun: Bool
    private(set) var parties = 0
    private(set) var started: [CampaignStepResponse.Fight] = []
    private(set) var wouldStart: [String] = []
    private(set) var busy = 0
    private(set) var alreadyStarted = 0
    private(set) var earlierFights: [CampaignStepResponse.Fight] = []
    private(set) var empty = 0
    private(set) var failed: [CampaignStepResponse.Failure] = []

    init(campaign: String, boss: String, dryRun: Bool) {
        self.campaign = campaign
        self.boss = boss
        self.dryRun = dryRun
    }

    /// The number of parties processed so far.
    var processed: Int { started.count + wouldStart.count + busy + alreadyStarted + empty + failed.count }

    /// Adds the result of a step.
    mutating func add(_ step: CampaignStepResponse) {
        parties = step.parties ?? parties
        started += step.started
        wouldStart += step.wouldStart
        busy += step.busy
        alreadyStarted += step.alreadyStarted
        earlierFights += step.earlierFights
        empty += step.empty
        failed += step.failed
    }

    /// Returns the progress in one line.
    /// - Parameter width: the width of the terminal in columns, which the line does not exceed; nil for no terminal.
    ///   The line begins with a bar if there is room.
    /// - Returns: the line.
    func progress(fitting width: Int?) -> String {
        // The number of parties may change during the campaign.
        let share = parties == 0 ? 1 : min(1, Double(processed) / Double(parties))
        let fights = dryRun ? wouldStart.count : started.count
        let text = "\(processed) of \(max(processed, parties)) parties, \(fights) \(fights == 1 ? "fight" : "fights")"
        let line = "\(Int(share * 100)) % · \(text)"
        guard let width else { return line }
        let columns = min(width - DisplayWidth.of(line) - 1, Self.barColumns.upperBound)
        guard columns >= Self.barColumns.lowerBound else { return DisplayWidth.fit(line, into: width) }
        let filled = Int(share * Double(columns))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: columns - filled) + " " + line
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let outcomes = [
            dryRun ? ("would start", wouldStart.count) : ("started", started.count),
            ("started before", alreadyStarted), ("busy", busy), ("empty", empty), ("failed", failed.count),
        ]
        let table = Table(
            [.init("OUTCOME"), .init("PARTIES", isNumber: true)],
            rows: outcomes.map { [$0, "\($1)"] } + [["all", "\(processed)"]]
        )
        let failures = failed.map { Printable.text("Party \($0.partyID): \($0.reason)") }
        return ["Campaign \(campaign): \(boss)" + (dryRun ? ", nothing was changed" : ""), ""]
            + table.lines(fitting: width) + (failures.isEmpty ? [] : [""]) + failures
            + (skippedParties(fitting: width).map { [""] + $0 } ?? [])
    }

    /// Returns an explanation for parties that were skipped because they were on an adventure; nil without such
    /// parties, and for a dry run.
    private func skippedParties(fitting width: Int?) -> [String]? {
        guard busy > 0, !dryRun else { return nil }
        let text = """
            \(busy == 1 ? "1 party was" : "\(busy) parties were") on an adventure and skipped. To include \
            \(busy == 1 ? "it" : "them") later, run the command again with --campaign \(campaign).
            """
        return Paragraph(beginning: "", text: text).lines(fitting: width)
    }
}

/// Limits the number of fights that a campaign starts per second.
struct CampaignPace {
    /// The maximum number of fights of one step, so that each response arrives soon.
    private static let maxStepSize = 50

    let rate: Int

    /// The number of parties in one step: at most the fights of one second, for an even pace.
    var limit: Int { min(rate, Self.maxStepSize) }

    /// Returns the earliest time for the next fight, as the time since the start of the campaign.
    func due(after started: Int) -> Duration { .seconds(1) * started / rate }
}
