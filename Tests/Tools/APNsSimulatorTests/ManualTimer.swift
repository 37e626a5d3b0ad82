@testable import APNsSimulator

/// A timer that a test fires.
final class ManualTimer: Sendable {
    private typealias Waiting = (delay: Duration, callback: @Sendable () -> Void)

    private let waiting: AsyncStream<Waiting>
    private let continuation: AsyncStream<Waiting>.Continuation

    init() {
        (waiting, continuation) = AsyncStream.makeStream()
    }

    /// The timer for the simulator.
    var timer: APNsSimulator.Timer {
        { [continuation] delay, callback in continuation.yield((delay, callback)) }
    }

    /// Waits for the next callback and runs it immediately.
    /// - Returns: the callback's delay.
    func fire() async -> Duration? {
        for await waiting in waiting {
            waiting.callback()
            return waiting.delay
        }
        return nil
    }
}
