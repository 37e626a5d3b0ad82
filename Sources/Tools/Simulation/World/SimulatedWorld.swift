package import Encodings
import GameCore
import HeapModule

/// The scheduler, clock and random generator of one run.
///
/// Everything in a run happens on the thread that calls ``run(until:or:)``: the jobs of Swift tasks, which arrive
/// through the executors of ``SimulatedHost``s, and timers. While jobs are ready, the world runs one of them, drawn
/// from the seed. When none is ready, virtual time jumps to the next timer. A run therefore takes only as long as its
/// work, and the same seed gives the same run, step for step.
package final class SimulatedWorld {
    /// The wall-clock time at which every run starts.
    package static let startTime = Timestamp(epochSeconds: 1_790_000_000)

    private struct Timer: Comparable {
        let firesAt: Int64
        let order: Int
        let action: () -> Void

        static func < (left: Self, right: Self) -> Bool { (left.firesAt, left.order) < (right.firesAt, right.order) }
        static func == (left: Self, right: Self) -> Bool { left.order == right.order }
    }

    /// The origin of the monotonic clock.
    ///
    /// Only differences between its instants are used, so a run does not depend on it.
    private let uptimeOrigin = ContinuousClock.now
    private var generator: Generator
    private var timers = Heap<Timer>()
    private var lastOrder = 0
    private var readyJobs: [(job: UnownedJob, host: SimulatedHost)] = []
    private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]

    /// The virtual time since the start, in microseconds.
    package private(set) var elapsed: Int64 = 0
    /// The record of all events so far.
    package private(set) var trace: Trace

    /// Creates a world at its start time.
    /// - Parameters:
    ///   - seed: determines every random choice of the run.
    ///   - keepsTrace: whether the trace keeps its lines; otherwise it keeps only their digest.
    package init(seed: UInt64, keepsTrace: Bool = false) {
        generator = Generator(seed: seed)
        trace = Trace(keepsLines: keepsTrace)
    }

    /// The true wall-clock time; the clock of a host may differ from it.
    package var now: Timestamp { Timestamp(microseconds: Self.startTime.microseconds + elapsed) }

    /// The monotonic clock's time.
    package var uptime: ContinuousClock.Instant { uptimeOrigin + .microseconds(elapsed) }

    /// Adds a line to the trace.
    package func log(_ line: @autoclosure () -> String) {
        trace.append(line, at: elapsed)
    }
}

// MARK: - Randomness

extension SimulatedWorld {
    /// Returns a random number in 0..<`bound`.
    package func number(below bound: Int) -> Int { generator.number(below: bound) }

    /// Returns true with a probability of `times` in a thousand.
    package func happens(inAThousand times: Int) -> Bool { number(below: 1_000) < times }

    /// Returns a random duration within bounds in milliseconds.
    package func duration(_ range: ClosedRange<Int>) -> Duration {
        .microseconds(microseconds(range))
    }

    /// Returns a random duration in microseconds, within bounds in milliseconds.
    ///
    /// Like its counterpart ``after(microseconds:_:)``, it is for what happens in every request: the arithmetic of
    /// `Duration` takes longer than a request's other work in the world.
    func microseconds(_ range: ClosedRange<Int>) -> Int64 {
        Int64(range.lowerBound * 1_000 + number(below: max(1, (range.count - 1) * 1_000)))
    }

    /// Returns 64 random bits.
    package func bits() -> UInt64 {
        UInt64(generator.number(below: 1 << 32)) << 32 | UInt64(generator.number(below: 1 << 32))
    }
}

// MARK: - Time

extension SimulatedWorld {
    /// Runs an action after a delay.
    package func after(_ delay: Duration, _ action: @escaping () -> Void) {
        after(microseconds: delay.wholeMicroseconds, action)
    }

    /// Runs an action after a delay in microseconds.
    func after(microseconds delay: Int64, _ action: @escaping () -> Void) {
        lastOrder += 1
        timers.insert(Timer(firesAt: elapsed + max(0, delay), order: lastOrder, action: action))
    }

    /// Suspends the task for a duration.
    /// - Throws: `CancellationError` if the task is cancelled before.
    package func sleep(for duration: Duration) async throws {
        lastOrder += 1
        let id = lastOrder
        let world = WorldBound(self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                guard !Task.isCancelled else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                sleepers[id] = continuation
                after(duration) { self.sleepers.removeValue(forKey: id)?.resume() }
            }
        } onCancel: {
            world.value.sleepers.removeValue(forKey: id)?.resume(throwing: CancellationError())
        }
    }

    /// Discards the timers that have not fired, whose actions may refer to the world.
    func close() { timers = Heap() }

    /// Runs jobs and timers until a moment of virtual time, or until a condition holds.
    package func run(until end: Duration, or isDone: () -> Bool = { false }) {
        let end = end.wholeMicroseconds
        while !isDone() {
            if !readyJobs.isEmpty {
                runReadyJob()
            } else if let next = timers.min, next.firesAt <= end {
                timers.removeMin()
                elapsed = next.firesAt
                next.action()
            } else {
                elapsed = max(elapsed, end)
                return
            }
        }
    }

    private func runReadyJob() {
        let index = readyJobs.count == 1 ? 0 : generator.number(below: readyJobs.count)
        readyJobs.swapAt(index, readyJobs.count - 1)
        let (job, host) = readyJobs.removeLast()
        trace.recordChoice(index)
        host.run(job)
    }

    func enqueue(_ job: UnownedJob, on host: SimulatedHost) {
        readyJobs.append((job, host))
    }
}
