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

        fileprivate mutating func observe(_ size: Double, in bucket: Int) {
            counts[bucket] += 1
            sum += size
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
        series.withLock { add(size, of: labels, to: &$0) }
    }

    /// Adds observations of durations.
    public func observe(each observations: some Sequence<(labels: Labels, duration: Duration)>) {
        series.withLock { series in
            for (labels, duration) in observations { add(duration / .seconds(1), of: labels, to: &series) }
        }
    }

    private func add(_ size: Double, of labels: Labels, to series: inout [Labels: Series]) {
        let size = max(0, size)
        let bucket = bounds.firstIndex { size <= $0 } ?? bounds.count
        // The default is evaluated only for a new series.
        series[labels, default: Series(buckets: bounds.count + 1)].observe(size, in: bucket)
    }

    /// Adds an observation of a duration.
    public func observe(_ duration: Duration, of labels: Labels) {
        observe(duration / .seconds(1), of: labels)
    }

    var samples: [Labels: Series] { series.withLock { $0 } }
}

extension Histograms<NoLabels> {
    /// Adds an observation.
    public func observe(_ size: Double) { observe(size, of: NoLabels()) }

    /// Adds an observation of a duration.
    public func observe(_ duration: Duration) { observe(duration, of: NoLabels()) }
}
