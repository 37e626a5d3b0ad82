import ServiceLifecycle
import Synchronization
import UnixSignals

/// Forwards SIGHUP to several listeners, because a process can trap a signal only once.
final class HangupSignal: Service {
    private let signals: UnixSignalsSequence
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    init(signals: UnixSignalsSequence) {
        self.signals = signals
    }

    /// Returns a stream that yields for each signal; pending signals are combined.
    func listen() -> AsyncStream<Void> {
        let (hangups, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(listener) }
        return hangups
    }

    /// Forwards signals until graceful shutdown or cancellation.
    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            for listener in listeners.withLock(\.self) { listener.yield() }
        }
    }
}
