import Synchronization

/// Monotonic counters of events since the start of the process.
///
/// An increment takes a lock and a dictionary lookup, and allocates only for a new series.
public final class Counters<Labels: MetricLabels>: Sendable {
    private let counts: Mutex<[Labels: Double]>

    init(showing labels: [Labels]) {
        counts = Mutex(Dictionary(labels.map { ($0, 0) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Adds to the counter of a series.
    public func add(_ count: Int = 1, to labels: Labels) {
        precondition(count >= 0, "a counter never decreases")
        counts.withLock { $0[labels, default: 0] += Double(count) }
    }

    /// Increments the counter of each series.
    public func add(each labels: some Sequence<Labels>) {
        counts.withLock { counts in
            // Most of many have the same labels as the one before: one lookup for all of these.
            var run: (labels: Labels, count: Double)?
            for labels in labels {
                if run?.labels == labels {
                    run?.count += 1
                } else {
                    if let run { counts[run.labels, default: 0] += run.count }
                    run = (labels, 1)
                }
            }
            if let run { counts[run.labels, default: 0] += run.count }
        }
    }

    /// Sets a counter that another component counts; it may restart at 0.
    public func set(_ count: Double, of labels: Labels) {
        counts.withLock { $0[labels] = count }
    }

    var samples: [Labels: Double] { counts.withLock { $0 } }
}

extension Counters<NoLabels> {
    /// Adds to the counter.
    public func add(_ count: Int = 1) { add(count, to: NoLabels()) }

    /// Sets a counter that another component counts.
    public func set(_ count: Double) { set(count, of: NoLabels()) }
}
