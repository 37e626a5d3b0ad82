import Synchronization

/// Numbers that go up and down: how something is now.
public final class Gauges<Labels: MetricLabels>: Sendable {
    private let readings: Mutex<[Labels: Double]>

    init(showing labels: [Labels]) {
        readings = Mutex(Dictionary(labels.map { ($0, 0) }, uniquingKeysWith: { first, _ in first }))
    }

    /// It is so now.
    public func set(_ reading: Double, of labels: Labels) {
        readings.withLock { $0[labels] = reading }
    }

    /// It is so much more, or less, than before.
    public func add(_ change: Double, to labels: Labels) {
        readings.withLock { $0[labels, default: 0] += change }
    }

    /// All series at once: those that are not named are gone.
    public func replace(by readings: [Labels: Double]) {
        self.readings.withLock { $0 = readings }
    }

    /// How it was said to be last; nil when nobody has said so.
    public func reading(of labels: Labels) -> Double? { readings.withLock { $0[labels] } }

    var samples: [Labels: Double] { readings.withLock { $0 } }
}

extension Gauges<NoLabels> {
    /// It is so now; nil when nobody knows, and then there is no series.
    public func set(_ reading: Double?) {
        replace(by: reading.map { [NoLabels(): $0] } ?? [:])
    }

    /// It is so much more, or less, than before.
    public func add(_ change: Double) { add(change, to: NoLabels()) }
}
