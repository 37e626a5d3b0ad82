/// The metrics of a process, read from Prometheus' text format.
struct MetricsText: Sendable {
    private struct Sample {
        let labels: Substring
        let value: Double
    }

    private let samples: [Substring: [Sample]]

    /// Parses samples; other lines are ignored.
    init(_ text: String) {
        var samples: [Substring: [Sample]] = [:]
        for line in text.split(separator: "\n") where line.first != "#" {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            let series = line[..<space]
            let name = series.prefix { $0 != "{" }
            samples[name, default: []].append(Sample(labels: series.dropFirst(name.count), value: value))
        }
        self.samples = samples
    }

    /// Returns the sum of a metric's series that have a label; zero without any.
    func sum(_ name: String, with label: String = "") -> Double {
        samples[name[...], default: []].reduce(0) { $0 + ($1.labels.contains(label) || label.isEmpty ? $1.value : 0) }
    }

    /// Returns the sum of all series of a histogram.
    func histogram(_ name: String) -> HistogramSnapshot {
        var counts: [Double: Double] = [:]
        for sample in samples["\(name)_bucket", default: []] {
            guard let match = sample.labels.firstMatch(of: /le="([^"]+)"/) else { continue }
            let bound = match.1 == "+Inf" ? Double.infinity : Double(match.1)
            if let bound { counts[bound, default: 0] += sample.value }
        }
        return HistogramSnapshot(cumulative: counts)
    }
}

/// A histogram: the cumulative count of observations by upper bound.
struct HistogramSnapshot: Hashable, Sendable {
    let cumulative: [Double: Double]

    var count: Double { cumulative[.infinity] ?? 0 }

    /// Returns the observations since an earlier snapshot.
    static func - (newer: Self, older: Self) -> Self {
        Self(cumulative: newer.cumulative.reduce(into: [:]) { $0[$1.key] = $1.value - (older.cumulative[$1.key] ?? 0) })
    }

    /// Returns a percentile, estimated as Prometheus does; nil without observations.
    ///
    /// Observations are assumed to be spread evenly within a bucket; beyond the largest finite bound, the result is
    /// that bound.
    func percentile(_ percent: Double) -> Double? {
        guard count > 0 else { return nil }
        let rank = count * percent / 100
        var lower = (bound: 0.0, count: 0.0)
        for (bound, count) in cumulative.sorted(by: { $0.key < $1.key }) {
            if count >= rank {
                guard bound.isFinite else { return lower.bound }
                guard count > lower.count else { return bound }
                return lower.bound + (bound - lower.bound) * (rank - lower.count) / (count - lower.count)
            }
            lower = (bound, count)
        }
        return lower.bound
    }
}
