public import APNsClient

/// What takes a push to APNs and tells what became of it.
public protocol PushSender: Sendable {
    /// Sends a push, and returns when its outcome is known.
    func send(_ push: APNsPush) async -> APNsOutcome
    /// Where it sends to.
    var address: (host: String, port: Int) { get }
    /// How often another provider key was put to use: what was found out about the route before holds no more.
    var keyChanges: Int { get }
}

extension APNsClient: PushSender {}
