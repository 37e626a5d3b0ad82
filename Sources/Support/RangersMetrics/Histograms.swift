import Synchronization

/// How often something was how large: counts by fixed upper bounds, and the sum.
public final class Histograms<Labels: MetricLabels>: Sendable {
    /// The observations of one series.
    struct Series: Sendable {
        /// By bucket, not cumulated; the last is beyond the largest bound.
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
        precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds ascend")
        self.bounds = bounds
        let empty = Series(buckets: bounds.count + 1)
        series = Mutex(Dictionary(labels.map { ($0, empty) }, uniquingKeysWith: { first, _ in first }))
    }

    /// It was that large, in the unit that the metric's name ends with; what is negative, by clocks that differ, was none.
    public func observe(_ size: Double, of labels: Labels) {
        let size = max(0, size)
        let bucket = bounds.firstIndex { size <= $0 } ?? bounds.count
        series.withLock { series in
            // What comes after `default` is evaluated only for a series that there is not yet.
            series[labels, default: Series(buckets: bounds.count + 1)].observe(size, in: bucket)
        }
    }

    /// It took that long.
    public func observe(_ duration: Duration, of labels: Labels) {
        observe(duration / .seconds(1), of: labels)
    }

    var samples: [Labels: Series] { series.withLock { $0 } }
}

extension Histograms<NoLabels> {
    /// It was that large.
    public func observe(_ size: Double) { observe(size, of: NoLabels()) }

    /// It took that long.
    public func observe(_ duration: Duration) { observe(duration, of: NoLabels()) }
}
