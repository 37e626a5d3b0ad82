import ArgumentParser
import GameCore

/// `rangers-bench balance`: the difficulty of the game.
struct BalanceBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "balance",
        abstract: "Plays seeded adventures against every boss and through every region, and reports their outcomes.",
        discussion: """
            Plays each content with parties of 1 to 8 heroes, which are drawn from the seed and play automatically, \
            or with one lone hero (--hero). The same arguments give the same numbers on every machine and in every build. A row whose win rate is not \
            between \(balancedPercents.lowerBound) % and \(balancedPercents.upperBound) % is marked.

            JSON: {adventures, level, rows: [{content, partySize, winRate, standardError, p5Ticks, medianTicks, \
            p95Ticks, potionsUsed, heroesDown, levelsGained, isBalanced}]}; rates are from 0 to 1, and potionsUsed, \
            heroesDown and levelsGained are means per adventure.
            """
    )
    /// The win rates of a balanced game, in percent.
    static let balancedPercents = 45...85

    @Option(help: ArgumentHelp("The number of adventures per row.", valueName: "count")) var adventures = 10_000

    @Option(help: ArgumentHelp("The level of the heroes at the start.", valueName: "level")) var level = 1

    @Option(help: ArgumentHelp("The only boss or region to play.", valueName: "id")) var content: AdventureContent?

    @Option(help: ArgumentHelp("The lone hero to play with.", valueName: "id")) var hero: HeroArgument?

    @Flag(help: "Exit with status 1 if a row is marked.") var check = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--adventures", adventures, in: 1...1_000_000)
        try Self.check("--level", level, in: 1...Hero.maxLevel)
    }

    func measure() async throws -> Report {
        let contents = content.map { [$0] } ?? AdventureContent.all
        let rows = await Self.rows(of: contents, adventures: adventures, level: level, hero: hero?.id)
        return Self.report(rows, adventures: adventures, level: level, checks: check)
    }

    /// Plays on all cores, with parties of every size or with a lone hero.
    ///
    /// Rows are independent of each other, so the numbers do not depend on the order of execution.
    static func rows(
        of contents: [AdventureContent],
        adventures: Int,
        level: Int,
        hero: HeroID? = nil
    ) async -> [BalanceRow] {
        let sizes = 1...(hero == nil ? Party.maxCapacity : 1)
        let kinds = contents.flatMap { content in sizes.map { (content, $0) } }
        return await concurrently(kinds.count, priority: .utility) { number in
            let (content, partySize) = kinds[number]
            var tally = BalanceTally()
            for seed in 0..<UInt64(adventures) {
                let heroes = RandomParty.heroes(partySize, of: hero, level: level, seed: seed)
                tally.play(content.opening(heroes: heroes, seed: seed))
            }
            return BalanceRow(content: content.id, partySize: partySize, tally: tally)
        }
    }

    /// Returns the report of all rows.
    ///
    /// With `checks`, a win rate outside ``balancedPercents`` is a failure.
    static func report(_ rows: [BalanceRow], adventures: Int, level: Int, checks: Bool) -> Report {
        let bounds = "between \(balancedPercents.lowerBound) % and \(balancedPercents.upperBound) %"
        let outside = rows.count { !$0.isBalanced }
        let summary =
            outside == 0 ? "Every win rate is \(bounds)." : "\(outside) of \(rows.count) win rates are not \(bounds)."
        var report = Report()
        report.set("adventures", adventures)
        report.set("level", level)
        report.add(rows.map(\.row), as: "rows")
        report.add([summary])
        if checks, outside > 0 { report.fail(summary) }
        return report
    }
}

/// The outcomes of one content for parties of one size.
struct BalanceRow: Hashable {
    /// The boss or region.
    let content: String
    let partySize: Int
    /// The outcomes of at least one adventure.
    let tally: BalanceTally

    var winRate: Double { mean(tally.wins) }
    /// The standard error of the win rate.
    var standardError: Double { (winRate * (1 - winRate) / Double(tally.ticks.count)).squareRoot() }

    /// Whether the win rate is within ``BalanceBenchmark/balancedPercents``.
    var isBalanced: Bool {
        let (percents, adventures) = (BalanceBenchmark.balancedPercents, tally.ticks.count)
        return (percents.lowerBound * adventures...percents.upperBound * adventures).contains(tally.wins * 100)
    }

    var row: Report.Row {
        [
            .text("content", "CONTENT", content), .count("partySize", "HEROES", partySize),
            .number("winRate", "WINS %", winRate, digits: 1, scale: 100),
            .number("standardError", "± %", standardError, digits: 1, scale: 100),
            .count("p5Ticks", "TICKS 5%", tally.ticks.percentile(5)),
            .count("medianTicks", "MEDIAN", tally.ticks.percentile(50)),
            .count("p95Ticks", "95%", tally.ticks.percentile(95)),
            .number("potionsUsed", "POTIONS", mean(tally.potionsUsed), digits: 2),
            .number("heroesDown", "DOWN", mean(tally.heroesDown), digits: 2),
            .number("levelsGained", "LEVELS", mean(tally.levelsGained), digits: 2), .value("isBalanced", isBalanced),
            .text(nil, "BALANCE", isBalanced ? "" : "outside"),
        ]
    }

    private func mean(_ sum: Int) -> Double { Double(sum) / Double(tally.ticks.count) }
}

/// The outcomes of some adventures.
struct BalanceTally: Hashable {
    /// The length of each adventure.
    var ticks: [Int] = []
    var wins = 0
    var potionsUsed = 0
    var heroesDown = 0
    var levelsGained = 0

    /// Plays an adventure to its end; all heroes act automatically.
    mutating func play(_ opening: Adventure) {
        var adventure = opening
        var events: [AdventureEvent] = []
        advance(&adventure, .start, &events)
        while adventure.status == .running { advance(&adventure, .tick, &events) }
        ticks.append(adventure.tick)
        switch adventure.outcome {
        case .completed, .bossDefeated: wins += 1
        case .partyWiped, .endedByOperator, .abandoned, .expired, nil: break
        }
    }

    private mutating func advance(
        _ adventure: inout Adventure,
        _ input: AdventureInput,
        _ events: inout [AdventureEvent]
    ) {
        events.removeAll(keepingCapacity: true)
        do { try adventure.advance(input, appendingTo: &events) } catch {
            preconditionFailure("a running adventure refused \(input): \(error)")
        }
        for event in events {
            if case .heroHealed(_, _, .potion) = event { potionsUsed += 1 }
            if case .heroDown = event { heroesDown += 1 }
            if case .heroLevelledUp = event { levelsGained += 1 }
        }
    }
}
