import Synchronization

/// Gauges: current values that can rise and fall.
public final class Gauges<Labels: MetricLabels>: Sendable {
    private let readings: Mutex<[Labels: Double]>

    init(showing labels: [Labels]) {
        readings = Mutex(Dictionary(labels.map { ($0, 0) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Sets the value of a series.
    public func set(_ reading: Double, of labels: Labels) {
        readings.withLock { $0[labels] = reading }
    }

    /// Changes the value of a series.
    public func add(_ change: Double, to labels: Labels) {
        readings.withLock { $0[labels, default: 0] += change }
    }

    /// Replaces all series; series without a new value are removed.
    public func replace(by readings: [Labels: Double]) {
        self.readings.withLock { $0 = readings }
    }

    /// Returns the value of a series; nil if it was never set.
    public func reading(of labels: Labels) -> Double? { readings.withLock { $0[labels] } }

    var samples: [Labels: Double] { readings.withLock { $0 } }
}

extension Gauges<NoLabels> {
    /// Sets the value; nil removes the series.
    public func set(_ reading: Double?) {
        replace(by: reading.map { [NoLabels(): $0] } ?? [:])
    }

    /// Changes the value.
    public func add(_ change: Double) { add(change, to: NoLabels()) }
}
