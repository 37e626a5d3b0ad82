import Synchronization

/// A task's wish to end one exchange, made on any thread and seen on the connection's.
final class Interruption: Sendable {
    private let requested = Atomic(false)
    private let wakeUp: WakeUp

    /// A wish that ends waits of this connection.
    init(waking wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    /// Whether the exchange should end.
    var isRequested: Bool { requested.load(ordering: .acquiring) }

    /// Asks for the end of the exchange.
    func request() {
        requested.store(true, ordering: .releasing)
        wakeUp.wake()
    }
}
