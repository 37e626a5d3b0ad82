public import APNsClient
import ServiceRuntime
import Synchronization

/// A client that sends pushes to one APNs environment.
public protocol PushSender: Sendable {
    /// Submits pushes, whose outcomes arrive in parts.
    ///
    /// The call does not wait for outcomes.
    /// - Parameters:
    ///   - pushes: the pushes.
    ///   - receive: receives the outcomes that arrived together, in any order, each with the index of its push. It must
    ///     not block. Each push has exactly one outcome.
    func submit(
        _ pushes: [APNsPush],
        _ receive: @escaping @Sendable ([(index: Int, outcome: APNsOutcome)]) -> Void
    ) async
    /// The server that it sends to.
    var address: (host: String, port: Int) { get }
    /// The number of times that the provider key was replaced.
    ///
    /// A circuit breaker sends a probe after a change.
    var keyChanges: Int { get }
}

extension APNsClient: PushSender {}

extension PushSender {
    /// Sends a push and waits for its outcome, which is unknown if the client reports none in time.
    ///
    /// The call ignores cancellation, as the client does.
    func send(_ push: APNsPush, within limit: Duration, in runtime: Runtime) async -> APNsOutcome {
        var timer: Task<Void, Never>?
        let outcome = await withCheckedContinuation { continuation in
            let waiter = OutcomeWaiter(continuation)
            Task(executorPreference: runtime.executor) {
                await submit([push]) { outcomes in waiter.resume(with: outcomes[0].outcome) }
            }
            timer = Task(executorPreference: runtime.executor) {
                // The sleep is cancelled once there is an outcome.
                try? await runtime.sleep(limit)
                waiter.resume(with: .unknown(.timedOut))
            }
        }
        timer?.cancel()
        return outcome
    }
}

/// Waits for the first of two outcomes.
private final class OutcomeWaiter: Sendable {
    private let continuation: Mutex<CheckedContinuation<APNsOutcome, Never>?>

    init(_ continuation: CheckedContinuation<APNsOutcome, Never>) { self.continuation = Mutex(continuation) }

    func resume(with outcome: APNsOutcome) {
        continuation.withLock { $0.take() }?.resume(returning: outcome)
    }
}
