@testable import APNsSimulator

/// A timer that is over when it is told to be.
final class ManualTimer: Sendable {
    private typealias Waiting = (delay: Duration, callback: @Sendable () -> Void)

    private let waiting: AsyncStream<Waiting>
    private let continuation: AsyncStream<Waiting>.Continuation

    init() {
        (waiting, continuation) = AsyncStream.makeStream()
    }

    /// What to give to whoever wants a timer.
    var timer: APNsSimulator.Timer {
        { [continuation] delay, callback in continuation.yield((delay, callback)) }
    }

    /// Waits until something is to be called back, and does it at once.
    /// - Returns: how long it would have had to wait.
    func fire() async -> Duration? {
        for await waiting in waiting {
            waiting.callback()
            return waiting.delay
        }
        return nil
    }
}
