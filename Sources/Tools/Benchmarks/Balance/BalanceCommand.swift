import ArgumentParser
import CommandLineSupport
import GameCore

/// `rangers-bench balance`: how hard the game is.
struct BalanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "balance",
        abstract: "Plays seeded adventures against every boss and through every region, and tells how they end.",
        discussion: """
            For each party size, 1 to 8, with heroes drawn by seed who play by themselves. The same arguments give \
            the same numbers on every machine and in every build. A row whose win rate is not between \
            \(BalanceRow.balancedPercents.lowerBound) % and \(BalanceRow.balancedPercents.upperBound) % is marked.

            As JSON: {adventures, level, rows: [{content, partySize, winRate, standardError, p5Ticks, medianTicks, \
            p95Ticks, potionsUsed, heroesDown, levelsGained, isBalanced}]}; rates are shares of 1, and what is used, \
            down or gained is the mean of an adventure.
            """
    )

    /// Of a row; more would take hours.
    private static let possibleAdventures = 1...1_000_000

    @Option(help: ArgumentHelp("How many adventures a row is made of.", valueName: "count"))
    var adventures = 10_000

    @Option(help: ArgumentHelp("The level that the heroes come with.", valueName: "level"))
    var level = 1

    @Option(help: ArgumentHelp("The only boss or region to play.", valueName: "id"))
    var content: Content?

    @Flag(help: "Exit 1 if a row is marked.")
    var check = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard Self.possibleAdventures.contains(adventures) else {
            throw ValidationError("--adventures is 1 to \(Self.possibleAdventures.upperBound), not \(adventures)")
        }
        guard (1...Hero.highestLevel).contains(level) else {
            throw ValidationError("--level is 1 to \(Hero.highestLevel), not \(level)")
        }
    }

    func run() async throws {
        let contents = content.map { [$0] } ?? Content.all
        let report = await BalanceReport(of: contents, adventures: adventures, level: level)
        try options.show(report)
        if check { try report.check() }
    }
}
