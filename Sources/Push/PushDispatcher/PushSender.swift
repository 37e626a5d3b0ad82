public import APNsClient

/// A client that sends pushes to one APNs environment.
public protocol PushSender: Sendable {
    /// Sends a push and waits for its outcome.
    func send(_ push: APNsPush) async -> APNsOutcome
    /// The server that it sends to.
    var address: (host: String, port: Int) { get }
    /// The number of times that the provider key was replaced.
    ///
    /// A circuit breaker sends a probe after a change.
    var keyChanges: Int { get }
}

extension APNsClient: PushSender {}
