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

    /// A rate that is the game's own, and how long it was.
    struct Steady: Hashable, Sendable {
        let ticksPerSecond: Double
        let seconds: Double
    }

    /// The same in the longest time within those moments in which the game was seen not to be behind: one that is behind catches
    /// up, as fast as it can.
    /// - Returns: nil when it was behind all the time, or nobody knows.
    func steadyRate(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Steady? {
        var longest: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
        var current: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
        for look in looks where look.at >= start && look.at <= end {
            guard !look.isBehind else {
                current = nil
                continue
            }
            // Where nobody has looked for a while the database was away.
            if let known = current, look.at - known.last < Self.longestDelay {
                current?.last = look.at
            } else {
                current = (look.at, look.at)
            }
            if let found = current, found.last - found.first > longest.map({ $0.last - $0.first }) ?? .zero {
                longest = found
            }
        }
        guard let longest, let rate = rate(from: longest.first, to: longest.last) else { return nil }
        return Steady(ticksPerSecond: rate, seconds: (longest.last - longest.first) / .seconds(1))
    }
}
