import Synchronization

/// Histograms: the number of observations in each bucket, and their sum.
public final class Histograms<Labels: MetricLabels>: Sendable {
    /// The observations of one series.
    struct Series: Sendable {
        /// The counts of the buckets, not cumulative; the last bucket has no upper bound.
        private(set) var counts: [Int]
        private(set) var sum = 0.0

        fileprivate init(buckets: Int) {
            counts = Array(repeating: 0, count: buckets)
        }

        fileprivate mutating func observe(_ size: Double, _ bounds: [Double], count: Int = 1) {
            let size = max(0, size)
            counts[bounds.firstIndex { size <= $0 } ?? bounds.count] += count
            sum += size * Double(count)
        }
    }

    let bounds: [Double]
    private let series: Mutex<[Labels: Series]>

    init(bounds: [Double], showing labels: [Labels]) {
        precondition(
            !bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 },
            "the bounds must be ascending"
        )
        self.bounds = bounds
        let empty = Series(buckets: bounds.count + 1)
        series = Mutex(Dictionary(labels.map { ($0, empty) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Adds an observation in the unit of the metric's name; negative values, from clock skew, count as 0.
    public func observe(_ size: Double, of labels: Labels) {
        change(labels) { $0.observe(size, bounds) }
    }

    /// Adds observations of durations.
    public func observe(_ durations: [Duration], of labels: Labels) {
        guard !durations.isEmpty else { return }
        change(labels) { series in
            for duration in durations { series.observe(duration / .seconds(1), bounds) }
        }
    }

    /// Adds observations of the same duration.
    public func observe(_ duration: Duration, count: Int = 1, of labels: Labels) {
        guard count > 0 else { return }
        change(labels) { $0.observe(duration / .seconds(1), bounds, count: count) }
    }

    private func change(_ labels: Labels, _ body: (inout Series) -> Void) {
        series.withLock { series in
            // The default is evaluated only for a new series.
            body(&series[labels, default: Series(buckets: bounds.count + 1)])
        }
    }

    var samples: [Labels: Series] { series.withLock { $0 } }
}

extension Histograms<NoLabels> {
    /// Adds an observation.
    public func observe(_ size: Double) { observe(size, of: NoLabels()) }

    /// Adds an observation of a duration.
    public func observe(_ duration: Duration) { observe(duration, of: NoLabels()) }
}
