import ServiceLifecycle
import Synchronization
import UnixSignals

/// Tells everybody who listens of SIGHUP: a process traps a signal once.
final class HangupRelay: Service {
    private let signals: UnixSignalsSequence
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    init(signals: UnixSignalsSequence) {
        self.signals = signals
    }

    /// Yields when the signal came; several that nobody has seen yet are one.
    func listen() -> AsyncStream<Void> {
        let (hangups, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(listener) }
        return hangups
    }

    /// Passes signals on until graceful shutdown or cancellation.
    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            for listener in listeners.withLock(\.self) { listener.yield() }
        }
    }
}
