import GameCore

/// The number of pushes in flight to each environment, by the second in which they were ordered.
///
/// The client promises one outcome for each push. If it breaks the promise, the push must not keep its activity, its place
/// in flight and the handover of its shard for ever: after a while its answer is overdue.
struct PushesInFlight {
    /// The pushes that were ordered within ``interval``.
    private struct Batch {
        let firstNumber: Int
        let orderedAt: ContinuousClock.Instant
        var counts = EnvironmentTable(0)
    }

    private static let interval = Duration.seconds(1)

    /// The number of pushes in flight to each environment.
    private(set) var counts = EnvironmentTable(0)
    /// In the order of their numbers.
    private var batches: [Batch] = []

    /// Counts a push.
    /// - Parameters:
    ///   - number: its number, larger than all before.
    ///   - environment: the environment.
    ///   - now: the time.
    mutating func add(_ number: Int, to environment: PushEnvironment, at now: ContinuousClock.Instant) {
        if batches.last.map({ now - $0.orderedAt >= Self.interval }) ?? true {
            while batches.first?.counts.values == [0, 0, 0] { batches.removeFirst() }
            batches.append(Batch(firstNumber: number, orderedAt: now))
        }
        batches[batches.count - 1].counts[environment] += 1
        counts[environment] += 1
    }

    /// Counts a push no longer, unless its answer was overdue.
    mutating func remove(_ number: Int, to environment: PushEnvironment) {
        guard let index = batches.lastIndex(where: { $0.firstNumber <= number }) else { return }
        batches[index].counts[environment] -= 1
        counts[environment] -= 1
    }

    /// Counts the pushes no longer that were ordered before a time.
    /// - Parameters:
    ///   - time: the time; pushes that were ordered up to a second before it may still be counted.
    ///   - next: the number of the next push.
    /// - Returns: the number below which no push is counted any more, and how many were counted until now; nil if that is
    ///   none.
    mutating func removeOverdue(
        orderedBefore time: ContinuousClock.Instant,
        next: Int
    ) -> (numbersBelow: Int, count: Int)? {
        var count = 0
        while let first = batches.first, first.orderedAt + Self.interval <= time {
            batches.removeFirst()
            for environment in PushEnvironment.allCases {
                counts[environment] -= first.counts[environment]
                count += first.counts[environment]
            }
        }
        return count > 0 ? (batches.first?.firstNumber ?? next, count) : nil
    }
}
