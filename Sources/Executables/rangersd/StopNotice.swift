import PartyAPI
import Synchronization

/// Whether the node was told to stop: load balancers hear so from `/readyz` while it still serves.
final class StopNotice: Sendable {
    private let isGiven = Atomic(false)

    /// From now on the node is not ready.
    func give() { isGiven.store(true, ordering: .relaxed) }

    /// The line of `/readyz`.
    var readiness: ReadinessCheck {
        ReadinessCheck("serving") { self.isGiven.load(ordering: .relaxed) ? "The server is stopping." : nil }
    }
}
