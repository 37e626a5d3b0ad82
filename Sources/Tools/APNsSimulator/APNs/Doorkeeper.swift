import HTTP2Transport
import Synchronization

/// Looks at the provider token of every request at one of APNs' doors, and at what each connection may do.
final class Doorkeeper: Sendable {
    private let state: Mutex<State>

    private struct State {
        var tokenCheck: ProviderTokenCheck
        var connections: [HTTP2ServerConnection.ID: SenderConnection] = [:]
    }

    init(tokenCheck: ProviderTokenCheck) {
        state = Mutex(State(tokenCheck: tokenCheck))
    }

    /// Passes or refuses a request by its `authorization` header.
    func authenticate(
        _ authorization: String?,
        on connection: HTTP2ServerConnection,
        at now: Moment
    ) throws(APNsRefusal) {
        try state.withLock { state throws(APNsRefusal) in
            let token = try state.tokenCheck.check(authorization: authorization, at: now)
            try state.connections[connection.id, default: SenderConnection()].take(token, at: now)
        }
    }

    /// Tells a connection how many streams it may have after a request, when that has changed.
    /// - Parameters:
    ///   - connection: where the request came from.
    ///   - isLimited: whether a fault allows one stream only; nil when the request was not one to be struck by faults.
    func limitStreams(of connection: HTTP2ServerConnection, _ isLimited: Bool?) {
        let limit = state.withLock { $0.connections[connection.id]?.limitStreams(isLimited) }
        if let limit = limit ?? nil { connection.setMaxConcurrentStreams(limit) }
    }

    /// Forgets a connection that is gone.
    func connectionClosed(_ connection: HTTP2ServerConnection) {
        state.withLock { _ = $0.connections.removeValue(forKey: connection.id) }
    }
}
