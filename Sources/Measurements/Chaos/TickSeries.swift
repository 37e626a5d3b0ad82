/// What was seen of ticks over time, and whether the game was behind.
struct TickSeries: Sendable {
    /// How long after a moment a look still tells of it.
    private static let longestDelay = Duration.seconds(2)

    private var samples: [(at: ContinuousClock.Instant, ticks: Double)] = []
    private var looks: [(at: ContinuousClock.Instant, isBehind: Bool)] = []

    /// Notes how many ticks there were by now.
    mutating func note(ticks: Double, at moment: ContinuousClock.Instant) { samples.append((moment, ticks)) }

    /// Notes whether something waited that should have been played.
    mutating func note(isBehind: Bool, at moment: ContinuousClock.Instant) { looks.append((moment, isBehind)) }

    /// Ticks in a second, from one moment to another; nil where too little was seen.
    func rate(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Double? {
        let samples = samples.filter { $0.at >= start && $0.at <= end }
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
        return (last.ticks - first.ticks) / ((last.at - first.at) / .seconds(1))
    }

    /// The same, where it is the game's own rate: a game that is behind at the beginning catches up, as fast as it can.
    /// - Returns: nil also when it was behind at the beginning, or nobody knows.
    func steadyRate(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Double? {
        guard let look = looks.first(where: { $0.at >= start }), look.at < min(start + Self.longestDelay, end),
            !look.isBehind
        else { return nil }
        return rate(from: start, to: end)
    }
}
