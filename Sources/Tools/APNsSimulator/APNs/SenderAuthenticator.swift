import Encodings
import HTTP2Transport
import Synchronization

/// Authenticates the requests of one endpoint and limits the streams of its connections.
final class SenderAuthenticator: Sendable {
    private let state: Mutex<State>

    private struct State {
        var tokenCheck: ProviderTokenCheck
        var connections: [HTTP2ServerConnection.ID: SenderConnection] = [:]
    }

    init(tokenCheck: ProviderTokenCheck) {
        state = Mutex(State(tokenCheck: tokenCheck))
    }

    /// Checks a request's `authorization` header.
    /// - Throws: the rejection to answer with.
    func authenticate(
        _ authorization: String?,
        on connection: HTTP2ServerConnection,
        at now: Timestamp
    ) throws(RejectionReason) {
        try state.withLock { state throws(RejectionReason) in
            let token = try state.tokenCheck.check(authorization: authorization, at: now)
            try state.connections[connection.id, default: SenderConnection()].accept(token, at: now)
        }
    }

    /// Updates a connection's stream limit after a request, if it changes.
    /// - Parameters:
    ///   - connection: the request's connection.
    ///   - isLimited: whether a fault allows one stream only; nil when no faults apply to the request.
    func limitStreams(of connection: HTTP2ServerConnection, _ isLimited: Bool?) {
        let limit = state.withLock { $0.connections[connection.id]?.limitStreams(isLimited) }
        if let limit = limit ?? nil { connection.setMaxConcurrentStreams(limit) }
    }

    /// Forgets a closed connection.
    func connectionClosed(_ connection: HTTP2ServerConnection) {
        state.withLock { _ = $0.connections.removeValue(forKey: connection.id) }
    }
}
