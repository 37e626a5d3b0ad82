import Synchronization

/// The metrics of a process, and their text for Prometheus.
///
/// Metrics are declared once, when the process starts. Names must follow the conventions of Prometheus: base units, and
/// `_total` at the end of counters. Violations are programming errors.
public final class MetricRegistry: Sendable {
    private struct State {
        var families: [String: MetricFamily] = [:]
        var readings: [@Sendable () async -> Void] = []
    }

    private let state = Mutex(State())

    /// Creates a registry without metrics.
    public init() {}

    /// Declares counters.
    /// - Parameters:
    ///   - name: the name for Prometheus; must end in `_total`.
    ///   - help: a description in one sentence.
    ///   - labels: the labels of the series.
    ///   - shown: the series that start at 0. Without them Prometheus does not see the first event of a series.
    /// - Returns: the counters.
    public func counters<Labels: MetricLabels>(
        _ name: String,
        _ help: String,
        by labels: Labels.Type,
        showing shown: [Labels] = []
    ) -> Counters<Labels> {
        precondition(name.hasSuffix("_total"), "the counter \(name) does not end in _total")
        let counters = Counters(showing: shown)
        declare(name, help, .counter, Labels.names) { .numbers(Self.named(counters.samples)) }
        return counters
    }

    /// Declares gauges.
    public func gauges<Labels: MetricLabels>(
        _ name: String,
        _ help: String,
        by labels: Labels.Type,
        showing shown: [Labels] = []
    ) -> Gauges<Labels> {
        let gauges = Gauges(showing: shown)
        declare(name, help, .gauge, Labels.names) { .numbers(Self.named(gauges.samples)) }
        return gauges
    }

    /// Declares histograms of sizes or durations.
    /// - Parameters:
    ///   - name: the name for Prometheus; must end in the base unit.
    ///   - help: a description in one sentence.
    ///   - labels: the labels of the series.
    ///   - bounds: the upper bounds of the buckets, ascending; a bucket without a bound is added.
    ///   - shown: the series that exist before the first observation.
    /// - Returns: the histograms.
    public func histograms<Labels: MetricLabels>(
        _ name: String,
        _ help: String,
        by labels: Labels.Type,
        bounds: [Double],
        showing shown: [Labels] = []
    ) -> Histograms<Labels> {
        let histograms = Histograms(bounds: bounds, showing: shown)
        declare(name, help, .histogram, Labels.names) {
            .histograms(
                bounds: bounds,
                histograms.samples.map {
                    MetricFamily.Histogram(labels: Self.labels($0), counts: $1.counts, sum: $1.sum)
                }
            )
        }
        return histograms
    }

    /// Adds a closure that updates metrics before each scrape; all closures run concurrently and must be fast.
    public func beforeReading(_ read: @escaping @Sendable () async -> Void) {
        state.withLock { $0.readings.append(read) }
    }

    /// The names of all metrics, sorted.
    public var names: [String] { state.withLock { $0.families.keys.sorted() } }

    /// Updates all metrics, and returns them in Prometheus' text format, version 0.0.4.
    public func text() async -> String {
        let readings = state.withLock { $0.readings }
        await withDiscardingTaskGroup { group in
            for read in readings { group.addTask { await read() } }
        }
        let families = state.withLock { $0.families.values.sorted { $0.name < $1.name } }
        var text = ""
        for family in families { family.write(to: &text) }
        return text
    }

    private func declare(
        _ name: String,
        _ help: String,
        _ kind: MetricFamily.Kind,
        _ labels: [String],
        _ samples: @escaping @Sendable () -> MetricFamily.Samples
    ) {
        precondition(name.isMetricName, "\(name) is not a valid name of a metric")
        for label in labels {
            precondition(label.isMetricName && label != "le", "\(label) is not a valid label of \(name)")
        }
        let family = MetricFamily(name: name, help: help, kind: kind, samples: samples)
        precondition(add(family), "the metric \(name) is declared twice")
    }

    /// Adds a metric, unless one with its name exists.
    /// - Returns: whether it was added.
    func add(_ family: MetricFamily) -> Bool {
        state.withLock { state in
            guard state.families[family.name] == nil else { return false }
            state.families[family.name] = family
            return true
        }
    }

    private static func named<Labels: MetricLabels>(_ samples: [Labels: Double]) -> [MetricFamily.Number] {
        samples.map { MetricFamily.Number(labels: Self.labels($0), value: $1) }
    }

    private static func labels<Labels: MetricLabels>(_ labels: Labels) -> MetricFamily.Labels {
        zip(Labels.names, labels.values).map { (name: $0, value: $1) }
    }
}

// MARK: - Metrics of one series

extension MetricRegistry {
    /// Declares a counter with a single series.
    public func counters(_ name: String, _ help: String) -> Counters<NoLabels> {
        counters(name, help, by: NoLabels.self, showing: [NoLabels()])
    }

    /// Declares a gauge with a single series.
    /// - Parameters:
    ///   - name: the name for Prometheus.
    ///   - help: a description in one sentence.
    ///   - isKnown: whether the gauge starts at 0; otherwise there is no series before the first value.
    /// - Returns: the gauge.
    public func gauges(_ name: String, _ help: String, startsAtZero isKnown: Bool = false) -> Gauges<NoLabels> {
        gauges(name, help, by: NoLabels.self, showing: isKnown ? [NoLabels()] : [])
    }

    /// Declares a histogram with a single series.
    public func histograms(_ name: String, _ help: String, bounds: [Double]) -> Histograms<NoLabels> {
        histograms(name, help, by: NoLabels.self, bounds: bounds, showing: [NoLabels()])
    }
}

extension String {
    /// Whether the text is a valid name: letters, digits and underscores, without a digit at the beginning.
    ///
    /// Prometheus' data model also allows colons, but reserves them for recording rules.
    var isMetricName: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
