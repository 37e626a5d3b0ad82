import HTTPServing
import Synchronization

/// A flag for a node that is shutting down: `/readyz` reports it to load balancers while the node still serves.
final class ShutdownFlag: Sendable {
    private let isSet = Atomic(false)

    /// Sets the flag, so that the node is no longer ready.
    func set() { isSet.store(true, ordering: .relaxed) }

    /// The readiness check that fails during the shutdown.
    var readiness: ReadinessCheck {
        ReadinessCheck("serving") { self.isSet.load(ordering: .relaxed) ? "The server is stopping." : nil }
    }
}
