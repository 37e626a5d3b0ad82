public import APNsClient

/// A client that sends pushes to one APNs environment.
public protocol PushSender: Sendable {
    /// Sends a push and waits for its outcome.
    func send(_ push: APNsPush) async -> APNsOutcome
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
