package import Encodings
import Foundation
import GameCore
import HeapModule

/// One run's time and chance: decides what goes on next, and when.
///
/// Everything that happens in a run happens on the one thread that calls ``run(until:)``: jobs of Swift's tasks, which
/// come in through the executors of its places, and events, which are closures with a time. As long as a job is ready
/// one of them goes on, chosen by the seed; when none is, time jumps to the next event. So a run takes no longer than its
/// work, and the same seed has the same course.
///
/// Unchecked but true: only that thread touches it, which every door checks.
package final class World: @unchecked Sendable {
    /// When every run begins.
    package static let beginning = Timestamp(epochSeconds: 1_790_000_000)

    private struct Event: Comparable {
        let at: Int64
        let order: Int
        let action: @Sendable () -> Void

        static func < (left: Self, right: Self) -> Bool { (left.at, left.order) < (right.at, right.order) }
        static func == (left: Self, right: Self) -> Bool { left.order == right.order }
    }

    private let thread = pthread_self()
    /// Only differences between its instants are ever used, so that it is no clock that a run depends on.
    private let origin = ContinuousClock.now
    private var generator: Generator
    private var events = Heap<Event>()
    private var order = 0
    private var ready: [(job: UnownedJob, place: Place)] = []
    private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]

    /// Microseconds since the beginning.
    package private(set) var elapsed: Int64 = 0
    /// What has happened.
    package private(set) var trace: Trace

    /// A world in which nothing has happened yet; it belongs to the thread that makes it.
    /// - Parameters:
    ///   - seed: decides everything that is left to chance.
    ///   - keepingTrace: whether the lines of the trace are kept, or only their digest.
    package init(seed: UInt64, keepingTrace: Bool = false) {
        generator = Generator(seed: seed)
        trace = Trace(isKept: keepingTrace)
    }

    /// The true time, which no node knows exactly.
    package var now: Timestamp { Self.beginning + .microseconds(elapsed) }

    /// The time that nobody sets.
    package var uptime: ContinuousClock.Instant { origin + .microseconds(elapsed) }

    /// Remembers that something happened.
    package func note(_ what: @autoclosure () -> String) {
        trace.note(what(), at: elapsed)
    }
}

// MARK: - Chance

extension World {
    /// A number from 0 up to the bound.
    package func number(below bound: Int) -> Int {
        confine()
        return generator.number(below: bound)
    }

    /// Whether something happens that happens so many times in a thousand.
    package func happens(inAThousand times: Int) -> Bool { number(below: 1_000) < times }

    /// Any moment between two durations.
    package func duration(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(range.lowerBound) + .microseconds(number(below: max(1, (range.count - 1) * 1_000)))
    }

    /// 64 bits.
    package func bits() -> UInt64 {
        confine()
        return UInt64(generator.number(below: 1 << 32)) << 32 | UInt64(generator.number(below: 1 << 32))
    }
}

// MARK: - Time

extension World {
    /// Lets something happen after a while.
    package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) {
        confine()
        order += 1
        events.insert(Event(at: elapsed + max(0, delay.wholeMicroseconds), order: order, action: action))
    }

    /// Waits for a while; throws `CancellationError` when the task is cancelled before.
    package func sleep(for duration: Duration) async throws {
        confine()
        order += 1
        let number = order
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                sleepers[number] = continuation
                after(duration) { self.sleepers.removeValue(forKey: number)?.resume() }
            }
        } onCancel: {
            confine()
            sleepers.removeValue(forKey: number)?.resume(throwing: CancellationError())
        }
    }

    /// Lets everything happen until a moment, or until a condition holds.
    package func run(until end: Duration, or isOver: () -> Bool = { false }) {
        confine()
        let end = end.wholeMicroseconds
        while !isOver() {
            if !ready.isEmpty {
                goOn()
            } else if let next = events.min, next.at <= end {
                events.removeMin()
                elapsed = next.at
                next.action()
            } else {
                elapsed = max(elapsed, end)
                return
            }
        }
    }

    private func goOn() {
        let index = ready.count == 1 ? 0 : generator.number(below: ready.count)
        ready.swapAt(index, ready.count - 1)
        let (job, place) = ready.removeLast()
        trace.chose(index)
        place.run(job)
    }

    func enqueue(_ job: UnownedJob, at place: Place) {
        confine()
        ready.append((job, place))
    }

    private func confine() {
        precondition(
            pthread_equal(pthread_self(), thread) != 0,
            "something has left the simulation, and comes back from another thread"
        )
    }
}
