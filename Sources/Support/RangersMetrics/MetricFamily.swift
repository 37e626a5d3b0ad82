/// A metric with all of its series.
///
/// Source of the format: Prometheus, "Exposition formats", text-based format, version 0.0.4.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// The labels of one series: names with values, in the order of the text.
    typealias Labels = [(name: String, value: String)]

    struct Number: Sendable {
        let labels: Labels
        let value: Double
    }

    struct Histogram: Sendable {
        let labels: Labels
        /// The counts of the buckets, not cumulative; the last bucket has no upper bound.
        let counts: [Int]
        let sum: Double
    }

    enum Samples: Sendable {
        case numbers([Number])
        case histograms(bounds: [Double], [Histogram])
    }

    let name: String
    let help: String
    let kind: Kind
    let samples: @Sendable () -> Samples

    /// Writes the metric in the exposition format, with its series sorted by labels.
    func write(to text: inout String) {
        text += "# HELP \(name) \(help.escaped(quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        switch samples() {
        case .numbers(let numbers):
            for number in numbers.sorted(by: { Self.precedes($0.labels, $1.labels) }) {
                writeSample(name, number.labels, number.value, to: &text)
            }
        case .histograms(let bounds, let histograms):
            for histogram in histograms.sorted(by: { Self.precedes($0.labels, $1.labels) }) {
                write(histogram, bounds, to: &text)
            }
        }
    }

    private static func precedes(_ left: Labels, _ right: Labels) -> Bool {
        left.lazy.map(\.value).lexicographicallyPrecedes(right.lazy.map(\.value))
    }

    private func write(_ histogram: Histogram, _ bounds: [Double], to text: inout String) {
        var count = 0
        for (bound, bucket) in zip(bounds + [.infinity], histogram.counts) {
            count += bucket
            writeSample("\(name)_bucket", histogram.labels, bound: bound, Double(count), to: &text)
        }
        writeSample("\(name)_sum", histogram.labels, histogram.sum, to: &text)
        writeSample("\(name)_count", histogram.labels, Double(count), to: &text)
    }

    private func writeSample(
        _ name: String,
        _ labels: Labels,
        bound: Double? = nil,
        _ value: Double,
        to text: inout String
    ) {
        var pairs = labels.map { "\($0.name)=\"\($0.value.escaped(quotes: true))\"" }
        if let bound { pairs.append("le=\"\(bound.metricText)\"") }
        text += name
        if !pairs.isEmpty { text += "{\(pairs.joined(separator: ","))}" }
        text += " \(value.metricText)\n"
    }
}

extension String {
    fileprivate func escaped(quotes: Bool) -> String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\"") })
        else { return self }
        var text = ""
        for character in unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where quotes: text += "\\\""
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}

extension Double {
    /// The number in the syntax of Go's `ParseFloat`; integers have no fraction.
    fileprivate var metricText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self > 0 ? "+Inf" : "-Inf" }
        // Every smaller integer has an exact `Double`.
        if self == rounded(), magnitude < 0x1p53 { return "\(Int64(self))" }
        return "\(self)"
    }
}
