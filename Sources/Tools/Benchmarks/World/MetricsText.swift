/// What a node tells in Prometheus' text format, as far as a measurement asks for it.
struct MetricsText: Sendable {
    private struct Sample {
        let labels: Substring
        let value: Double
    }

    private let samples: [Substring: [Sample]]

    /// Takes an answer apart; lines of another form count for nothing.
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

    /// The sum of a metric's series, or of those with a label; zero when there are none.
    func sum(_ name: String, with label: String = "") -> Double {
        samples[name[...], default: []].reduce(0) { $0 + ($1.labels.contains(label) || label.isEmpty ? $1.value : 0) }
    }

    /// A histogram, all its series together.
    func histogram(_ name: String) -> HistogramReading {
        var counts: [Double: Double] = [:]
        for sample in samples["\(name)_bucket", default: []] {
            guard let match = sample.labels.firstMatch(of: /le="([^"]+)"/) else { continue }
            let bound = match.1 == "+Inf" ? Double.infinity : Double(match.1)
            if let bound { counts[bound, default: 0] += sample.value }
        }
        return HistogramReading(cumulated: counts)
    }
}

/// How often something was how large, by upper bounds.
struct HistogramReading: Hashable, Sendable {
    /// By upper bound: how many were that large at most.
    let cumulated: [Double: Double]

    var count: Double { cumulated[.infinity] ?? 0 }

    /// What has come since an earlier reading of the same.
    static func - (newer: Self, older: Self) -> Self {
        Self(cumulated: newer.cumulated.reduce(into: [:]) { $0[$1.key] = $1.value - (older.cumulated[$1.key] ?? 0) })
    }

    /// The size that so many of a hundred do not exceed, nil when there are none.
    ///
    /// An estimate, as Prometheus makes it: those between two bounds are taken to be spread evenly. Beyond the largest
    /// bound it is that bound.
    func percentile(_ percent: Double) -> Double? {
        let rank = count * percent / 100
        guard count > 0 else { return nil }
        var lower = (bound: 0.0, count: 0.0)
        for (bound, count) in cumulated.sorted(by: { $0.key < $1.key }) {
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
