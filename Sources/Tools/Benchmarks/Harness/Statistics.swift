/// The median of some values, with their extremes.
struct Spread: Encodable, Hashable {
    let lowest: Double
    let median: Double
    let highest: Double

    /// Creates the spread of at least one value.
    init(of values: [Double]) {
        let sorted = values.sorted()
        lowest = sorted[0]
        median = values.median
        highest = sorted[sorted.count - 1]
    }

    /// Measures each name several times, in turns, so that a change of the machine's speed affects all names alike.
    ///
    /// An additional first turn warms up and does not count.
    static func measured<Name: Hashable>(_ names: [Name], turns: Int, _ measure: (Name) throws -> Double) rethrows
        -> [Name: Spread]
    {
        var progress = Progress(of: names.count * (turns + 1))
        var values: [Name: [Double]] = [:]
        for turn in 0...turns {
            for name in names {
                let value = try measure(name)
                if turn > 0 { values[name, default: []].append(value) }
                progress.advance()
            }
        }
        return values.mapValues { Spread(of: $0) }
    }
}

extension [Double] {
    /// The median of at least one value: of an even number of values, the mean of the middle two.
    var median: Double {
        precondition(!isEmpty, "the median of no values")
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension Array where Element: Comparable {
    /// Returns the nearest-rank percentile of at least one value: the smallest value that at least `percent` of all
    /// values do not exceed.
    func percentile(_ percent: Int) -> Element {
        precondition(!isEmpty, "a percentile of no values")
        return sorted()[Swift.max((count * percent + 99) / 100, 1) - 1]
    }
}

/// A measurement of the amount of work done per second.
enum Stopwatch {
    /// Repeats some work until `length` has passed, at least once, and returns the work done per second.
    ///
    /// `work` returns the amount of work that it has done, and takes far longer than reading the clock.
    static func perSecond<Failure>(for length: Duration, _ work: () throws(Failure) -> Int) throws(Failure) -> Double {
        let start = ContinuousClock.now
        var done = 0
        var elapsed: Duration
        repeat {
            done += try work()
            elapsed = ContinuousClock.now - start
        } while elapsed < length
        return Double(done) / (elapsed / .seconds(1))
    }
}
