import CommandLineSupport
import GameCore

/// How hard the game is, by content and party size.
struct BalanceReport: Report {
    static let isAboutSpeed = false

    /// Of each row.
    let adventures: Int
    /// What every hero came with.
    let level: Int
    /// By content, then by party size.
    let rows: [BalanceRow]

    func lines(fitting width: Int?) -> [String] {
        let table = Table(
            [
                .init("CONTENT"), .init("HEROES", isNumber: true), .init("WINS %", isNumber: true),
                .init("± %", isNumber: true), .init("TICKS 5%", isNumber: true), .init("MEDIAN", isNumber: true),
                .init("95%", isNumber: true), .init("POTIONS", isNumber: true), .init("DOWN", isNumber: true),
                .init("LEVELS", isNumber: true), .init("BALANCE"),
            ],
            rows: rows.map(\.cells)
        )
        return table.lines(fitting: width) + ["", verdict]
    }

    /// Refuses a report that has a row outside.
    func check() throws(UnbalancedContent) {
        if rows.contains(where: { !$0.isBalanced }) { throw UnbalancedContent(explanation: verdict) }
    }

    private var verdict: String {
        let percents = BalanceRow.balancedPercents
        let bounds = "between \(percents.lowerBound) % and \(percents.upperBound) %"
        let outside = rows.count { !$0.isBalanced }
        return outside == 0
            ? "Every win rate is \(bounds)." : "\(outside) of \(rows.count) win rates are not \(bounds)."
    }
}

/// Why a check of the balance did not hold.
struct UnbalancedContent: CommandFailure, Hashable {
    let explanation: String
    let exitStatus = ExitStatus.failed
}

extension BalanceReport {
    /// Plays on all cores; a row takes nothing from another, so the numbers are the same in whatever order they come.
    ///
    /// At a lower priority, so that nothing else in the process waits behind them all.
    init(of contents: [Content], adventures: Int, level: Int) async {
        let kinds = contents.flatMap { content in (1...Party.largestCapacity).map { (content, $0) } }
        let rows = await withTaskGroup(of: (index: Int, row: BalanceRow).self) { group in
            for (index, (content, partySize)) in kinds.enumerated() {
                group.addTask(priority: .utility) {
                    var tally = BalanceTally()
                    for seed in 0..<UInt64(adventures) {
                        let heroes = DrawnParty.heroes(partySize, level: level, seed: seed)
                        tally.play(content.opening(heroes: heroes, seed: seed))
                    }
                    return (index, BalanceRow(content: content.id, partySize: partySize, tally))
                }
            }
            var progress = Progress(of: kinds.count)
            var rows: [(index: Int, row: BalanceRow)] = []
            for await row in group {
                rows.append(row)
                progress.advance()
            }
            return rows.sorted { $0.index < $1.index }.map(\.row)
        }
        self.init(adventures: adventures, level: level, rows: rows)
    }
}
