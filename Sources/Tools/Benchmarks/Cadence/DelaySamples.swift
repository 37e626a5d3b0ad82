/// Delays in whole milliseconds, for percentiles that are the same on every machine.
struct DelaySamples: Hashable, Sendable {
    private var milliseconds: [Int32] = []

    var count: Int { milliseconds.count }

    /// Adds a delay, which is not negative and far below a month.
    mutating func add(_ delay: Duration) {
        milliseconds.append(Int32(delay / .milliseconds(1)))
    }

    mutating func add(_ others: Self) {
        milliseconds += others.milliseconds
    }

    /// The median and the 99th percentile; of nothing, zero.
    var spread: DelaySpread {
        let sorted = milliseconds.sorted()
        /// The smallest delay that so many percent do not exceed, in seconds.
        func percentile(_ percent: Int) -> Double {
            sorted.isEmpty ? 0 : Double(sorted[max((sorted.count * percent + 99) / 100, 1) - 1]) / 1_000
        }
        return DelaySpread(p50: percentile(50), p99: percentile(99))
    }
}

/// How long something takes, in seconds.
struct DelaySpread: Encodable, Hashable, Sendable {
    /// Half of all take no longer.
    let p50: Double
    /// Ninety-nine in a hundred take no longer.
    let p99: Double

    /// For people.
    var cells: [String] { [p50, p99].map { NumberText.text($0, digits: 2) } }
}
