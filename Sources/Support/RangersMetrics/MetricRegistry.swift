import Synchronization

/// All metrics of a process, and their text for Prometheus.
///
/// Metrics are declared once, when the process is wired, and live as long as it does. Names follow Prometheus'
/// conventions: base units, `_total` at the end of counters. What breaks them is a mistake of the program, and ends it.
public final class MetricRegistry: Sendable {
    private struct State {
        var families: [String: MetricFamily] = [:]
        var readings: [@Sendable () async -> Void] = []
    }

    private let state = Mutex(State())

    /// A registry without metrics.
    public init() {}

    /// Declares a metric that only grows.
    /// - Parameters:
    ///   - name: as Prometheus knows it; ends in `_total`.
    ///   - help: what it counts, in one sentence.
    ///   - labels: what tells its series apart.
    ///   - shown: series that are there, at zero, before anything has happened: only then their first event is seen.
    /// - Returns: what counts.
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

    /// Declares a metric that goes up and down.
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

    /// Declares a metric of sizes or durations.
    /// - Parameters:
    ///   - name: as Prometheus knows it; ends in its base unit.
    ///   - help: what is measured, in one sentence.
    ///   - labels: what tells its series apart.
    ///   - bounds: the upper bounds of the buckets, ascending; one beyond all of them is added.
    ///   - shown: series that are there before anything was observed.
    /// - Returns: what takes the sizes.
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
                histograms.samples.map { MetricFamily.Histogram(labels: $0.values, counts: $1.counts, sum: $1.sum) }
            )
        }
        return histograms
    }

    /// Adds what brings metrics up to date before they are told; all of these run at once, each has to be quick.
    public func beforeReading(_ read: @escaping @Sendable () async -> Void) {
        state.withLock { $0.readings.append(read) }
    }

    /// The names of all metrics, in order.
    public var names: [String] { state.withLock { $0.families.keys.sorted() } }

    /// All metrics in Prometheus' text format, version 0.0.4, brought up to date.
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
        precondition(name.isMetricName, "\(name) is no name of a metric")
        for label in labels { precondition(label.isMetricName && label != "le", "\(label) is no label of \(name)") }
        let family = MetricFamily(name: name, help: help, kind: kind, labels: labels, samples: samples)
        let known = state.withLock { $0.families.updateValue(family, forKey: name) }
        precondition(known == nil, "the metric \(name) is declared twice")
    }

    private static func named<Labels: MetricLabels>(_ samples: [Labels: Double]) -> [MetricFamily.Number] {
        samples.map { MetricFamily.Number(labels: $0.values, value: $1) }
    }
}

// MARK: - Metrics of one series

extension MetricRegistry {
    /// Declares a metric that only grows, and has one series.
    public func counters(_ name: String, _ help: String) -> Counters<NoLabels> {
        counters(name, help, by: NoLabels.self, showing: [NoLabels()])
    }

    /// Declares a metric that goes up and down, and has one series.
    /// - Parameters:
    ///   - name: as Prometheus knows it.
    ///   - help: what it is, in one sentence.
    ///   - isKnown: whether it is zero from the start; else there is no series before somebody says how it is.
    /// - Returns: what is told how it is.
    public func gauges(_ name: String, _ help: String, startsAtZero isKnown: Bool = false) -> Gauges<NoLabels> {
        gauges(name, help, by: NoLabels.self, showing: isKnown ? [NoLabels()] : [])
    }

    /// Declares a metric of sizes or durations that has one series.
    public func histograms(_ name: String, _ help: String, bounds: [Double]) -> Histograms<NoLabels> {
        histograms(name, help, by: NoLabels.self, bounds: bounds, showing: [NoLabels()])
    }
}

extension String {
    /// Prometheus' data model: letters, digits and underscores, no digit first; colons are left to operators' rules.
    fileprivate var isMetricName: Bool {
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
