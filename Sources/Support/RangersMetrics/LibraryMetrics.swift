public import CoreMetrics
import Synchronization

/// A backend of swift-metrics that adds the metrics of libraries to a registry.
///
/// Labels of swift-metrics become names for Prometheus: other characters than letters, digits and underscores become
/// underscores, counters end in `_total`, and timers are histograms in seconds that end in `_seconds`. Recorders that
/// aggregate are histograms, all others gauges.
///
/// Libraries choose names and dimensions at run time, so violations do not trap: a metric whose name is already used
/// for another kind of metric, and series beyond ``maxSeries``, are not exported. Series are never removed, since
/// Prometheus would take the next value of a counter for a restart.
public final class LibraryMetrics: MetricsFactory {
    /// The maximum number of series of one metric: Prometheus keeps each of them for weeks.
    public static let maxSeries = 1_000

    /// The upper bounds of timers, in seconds.
    private static let timerBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// The upper bounds of recorders, whose unit is unknown: powers of four up to 2^20.
    private static let recorderBounds = (0...10).map { Double(1 << (2 * $0)) }

    private let registry: MetricRegistry
    private let numbers = Mutex<[String: Metric<NumberSeries>]>([:])
    private let histograms = Mutex<[String: Metric<HistogramSeries>]>([:])

    /// Creates a backend that adds metrics to a registry when libraries create them.
    public init(registry: MetricRegistry) {
        self.registry = registry
    }

    /// Returns the counter of a series.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        number(label, .counter, dimensions)
    }

    /// Returns the counter of a series, for fractions.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        number(label, .counter, dimensions)
    }

    /// Returns the gauge of a series.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        number(label, .gauge, dimensions)
    }

    /// Returns the histogram of a series, or a gauge if it does not aggregate.
    public func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return number(label, .gauge, dimensions) }
        return histogram(Self.name(label, suffix: ""), label, Self.recorderBounds, dimensions)
    }

    /// Returns the histogram of a series, in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(Self.name(label, suffix: "_seconds"), label, Self.timerBounds, dimensions)
    }

    /// Does nothing.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Does nothing.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

extension LibraryMetrics {
    /// The labels of a series.
    private struct SeriesKey: Hashable {
        let names: [String]
        let values: [String]

        init(_ dimensions: [(String, String)]) {
            let sorted = Dictionary(
                dimensions.map { (LibraryMetrics.name($0.0, suffix: ""), $0.1) },
                uniquingKeysWith: { first, _ in first }
            )
            .sorted { $0.key < $1.key }
            names = sorted.map(\.key)
            values = sorted.map(\.value)
        }

        /// Whether no label is named `le`, which is reserved for the buckets of histograms.
        var isValid: Bool { !names.contains("le") }
        var labels: MetricFamily.Labels { Array(zip(names, values)) }
    }

    private struct Metric<Series: Sendable>: Sendable {
        let kind: MetricFamily.Kind
        var series: [SeriesKey: Series] = [:]

        /// Returns the series with the given labels, created if necessary; nil if the maximum number is reached.
        mutating func findOrCreate(_ key: SeriesKey, _ create: () -> Series) -> Series? {
            if let known = series[key] { return known }
            guard series.count < LibraryMetrics.maxSeries else { return nil }
            let created = create()
            series[key] = created
            return created
        }
    }

    private func number(
        _ label: String,
        _ kind: MetricFamily.Kind,
        _ dimensions: [(String, String)]
    ) -> NumberSeries {
        let (name, key) = (Self.name(label, suffix: kind == .counter ? "_total" : ""), SeriesKey(dimensions))
        let series: NumberSeries? = numbers.withLock { metrics in
            guard key.isValid else { return nil }
            if metrics[name] == nil {
                let family = MetricFamily(name: name, help: Self.help(label), kind: kind) { [weak self] in
                    let series = self?.numbers.withLock { $0[name]?.series } ?? [:]
                    return .numbers(series.map { MetricFamily.Number(labels: $0.labels, value: $1.value) })
                }
                guard registry.add(family) else { return nil }
                metrics[name] = Metric(kind: kind)
            }
            guard metrics[name]?.kind == kind else { return nil }
            return metrics[name]?.findOrCreate(key) { NumberSeries() }
        }
        return series ?? NumberSeries()
    }

    private func histogram(
        _ name: String,
        _ label: String,
        _ bounds: [Double],
        _ dimensions: [(String, String)]
    ) -> HistogramSeries {
        let key = SeriesKey(dimensions)
        let series: HistogramSeries? = histograms.withLock { metrics in
            guard key.isValid else { return nil }
            if metrics[name] == nil {
                let family = MetricFamily(name: name, help: Self.help(label), kind: .histogram) { [weak self] in
                    let series = self?.histograms.withLock { $0[name]?.series } ?? [:]
                    return .histograms(
                        bounds: bounds,
                        series.flatMap { key, series in
                            series.observations.samples.values.map {
                                MetricFamily.Histogram(labels: key.labels, counts: $0.counts, sum: $0.sum)
                            }
                        }
                    )
                }
                guard registry.add(family) else { return nil }
                metrics[name] = Metric(kind: .histogram)
            }
            return metrics[name]?.findOrCreate(key) { HistogramSeries(bounds: bounds) }
        }
        return series ?? HistogramSeries(bounds: bounds)
    }

    private static func name(_ label: String, suffix: String) -> String {
        var name = String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        if !name.isMetricName { name = "_\(name)" }
        return name.hasSuffix(suffix) ? name : name + suffix
    }

    private static func help(_ label: String) -> String { "The metric \(label) of a library." }
}

/// One series of a counter or gauge.
private final class NumberSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
    private let number = Mutex(0.0)

    var value: Double { number.withLock(\.self) }

    func increment(by change: Int64) { increment(by: Double(change)) }
    func increment(by change: Double) { number.withLock { $0 += change } }
    func decrement(by change: Double) { number.withLock { $0 -= change } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { number.withLock { $0 = value } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    func reset() { set(0.0) }
}

/// One series of a histogram.
private final class HistogramSeries: RecorderHandler, TimerHandler {
    let observations: Histograms<NoLabels>

    init(bounds: [Double]) {
        observations = Histograms(bounds: bounds, showing: [NoLabels()])
    }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { observations.observe(value) }
    func recordNanoseconds(_ duration: Int64) { observations.observe(.nanoseconds(duration)) }
}
