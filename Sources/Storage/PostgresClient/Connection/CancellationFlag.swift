import Synchronization

/// The cancellation flag of one exchange, set on any thread and read on the connection's thread.
final class CancellationFlag: Sendable {
    private let requested = Atomic(false)
    private let poller: SocketPoller

    /// Creates a flag that wakes the connection's poller when it is set.
    init(waking poller: SocketPoller) {
        self.poller = poller
    }

    /// Whether cancellation was requested.
    var isRequested: Bool { requested.load(ordering: .acquiring) }

    /// Requests cancellation of the exchange.
    func request() {
        requested.store(true, ordering: .releasing)
        poller.wake()
    }
}
