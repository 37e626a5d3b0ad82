/// How adventures about one boss or region end for parties of one size.
struct BalanceRow: Encodable, Hashable {
    /// Win rates that make a game, in percent: neither hopeless nor a walk.
    static let balancedPercents = 45...85

    /// The boss or the region.
    let content: String
    /// How many heroes set out.
    let partySize: Int
    /// The share of adventures that were won, 0…1.
    let winRate: Double
    /// Of the win rate: two in three samples of this size lie so near to what endless play would give.
    let standardError: Double
    /// One adventure in twenty took no more ticks.
    let p5Ticks: Int
    /// Half of the adventures took no more ticks.
    let medianTicks: Int
    /// Nineteen adventures in twenty took no more ticks.
    let p95Ticks: Int
    /// Mean of an adventure.
    let potionsUsed: Double
    /// How often a hero went down, mean of an adventure.
    let heroesDown: Double
    /// Of all heroes together, mean of an adventure.
    let levelsGained: Double
    /// Whether the win rate is within ``balancedPercents``.
    let isBalanced: Bool

    /// What came of at least one adventure.
    init(content: String, partySize: Int, _ tally: BalanceTally) {
        let ticks = tally.ticks.sorted()
        let adventures = ticks.count
        precondition(adventures > 0, "no rate of nothing")
        func mean(_ sum: Int) -> Double { Double(sum) / Double(adventures) }
        /// The smallest number that so many percent do not exceed.
        func percentile(_ percent: Int) -> Int { ticks[max((adventures * percent + 99) / 100, 1) - 1] }

        self.content = content
        self.partySize = partySize
        winRate = mean(tally.wins)
        standardError = (winRate * (1 - winRate) / Double(adventures)).squareRoot()
        p5Ticks = percentile(5)
        medianTicks = percentile(50)
        p95Ticks = percentile(95)
        potionsUsed = mean(tally.potionsUsed)
        heroesDown = mean(tally.heroesDown)
        levelsGained = mean(tally.levelsGained)
        let bounds = Self.balancedPercents
        isBalanced =
            tally.wins * 100 >= bounds.lowerBound * adventures && tally.wins * 100 <= bounds.upperBound * adventures
    }

    /// For people, in the order of the report's columns.
    var cells: [String] {
        [
            content, "\(partySize)", NumberText.text(winRate * 100, digits: 1),
            NumberText.text(standardError * 100, digits: 1), "\(p5Ticks)", "\(medianTicks)", "\(p95Ticks)",
            NumberText.text(potionsUsed, digits: 2), NumberText.text(heroesDown, digits: 2),
            NumberText.text(levelsGained, digits: 2), isBalanced ? "" : "outside",
        ]
    }
}
