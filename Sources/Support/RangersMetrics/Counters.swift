import Synchronization

/// Numbers that only grow: how often something happened since the process started.
///
/// One lock and one look into a dictionary; nothing is allocated for a series that there is already.
public final class Counters<Labels: MetricLabels>: Sendable {
    private let counts: Mutex<[Labels: Double]>

    init(showing labels: [Labels]) {
        counts = Mutex(Dictionary(labels.map { ($0, 0) }, uniquingKeysWith: { first, _ in first }))
    }

    /// It happened that many times more.
    public func add(_ count: Int = 1, to labels: Labels) {
        precondition(count >= 0, "a counter never goes back")
        counts.withLock { $0[labels, default: 0] += Double(count) }
    }

    /// Each of these happened once more.
    public func add(each labels: some Sequence<Labels>) {
        counts.withLock { counts in
            for labels in labels { counts[labels, default: 0] += 1 }
        }
    }

    /// Takes the number from somebody else who counts; it may begin anew, as after a restart.
    public func set(_ count: Double, of labels: Labels) {
        counts.withLock { $0[labels] = count }
    }

    var samples: [Labels: Double] { counts.withLock { $0 } }
}

extension Counters<NoLabels> {
    /// It happened that many times more.
    public func add(_ count: Int = 1) { add(count, to: NoLabels()) }

    /// Takes the number from somebody else who counts.
    public func set(_ count: Double) { set(count, of: NoLabels()) }
}
