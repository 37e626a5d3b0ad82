import APNsClient
import ServiceRuntime
import Synchronization

extension APNsOutcome {
    /// Whether APNs accepted the push.
    var isAccepted: Bool {
        switch self {
        case .accepted: true
        case .rejected, .unknown, .neverSent: false
        }
    }
}

/// A push with its outcome.
struct CompletedPush: Sendable {
    let push: OutgoingPush
    let outcome: APNsOutcome
    /// The report for the operator who requested the push, as JSON; nil if it was not requested.
    let report: String?

    init(_ push: OutgoingPush, _ outcome: APNsOutcome, report: String? = nil) {
        self.push = push
        self.outcome = outcome
        self.report = report
    }
}

/// The completed pushes that wait for the loop.
///
/// Their number is bounded by the number of followed activities, since each has at most one push in flight.
final class CompletedPushes: Sendable {
    private let pushes = Mutex<[CompletedPush]>([])
    /// Notified when there are some.
    let signal = WakeSignal()

    func put(_ completed: [CompletedPush]) {
        pushes.withLock { $0 += completed }
        signal.notify()
    }

    func takeAll() -> [CompletedPush] {
        pushes.withLock { pushes in
            defer { pushes.removeAll(keepingCapacity: true) }
            return pushes
        }
    }
}
