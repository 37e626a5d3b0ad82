import Foundation
import HTTP2Transport
import Synchronization

/// APNs as senders see it: answers requests over HTTP/2 with what ``PushRequest``, ``ProviderTokenCheck`` and the wall
/// decide.
///
/// A connection may have one stream until its first request with a good provider token, as with Apple; the server is
/// to be configured with that limit.
final class APNsEndpoint: HTTP2RequestHandler {
    /// What a connection may have open before it has shown who it is ("Sending notification requests to APNs").
    static let streamsBeforeAuthentication = 1
    /// What it may have open afterwards; practitioners saw 500 to 1,500.
    static let streamsAfterAuthentication = 1000

    private let simulation: Simulation
    private let bundleID: String
    private let state: Mutex<State>

    private struct State {
        var tokenCheck: ProviderTokenCheck
        var connections: [HTTP2ServerConnection.ID: SenderConnection] = [:]
    }

    init(simulation: Simulation, tokenCheck: ProviderTokenCheck, bundleID: String) {
        self.simulation = simulation
        self.bundleID = bundleID
        state = Mutex(State(tokenCheck: tokenCheck))
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        let headers = request.headers
        // What is kept of a request has a bound, also when nobody knows who sent it.
        let apnsID = headers["apns-id"].flatMap { UUID(uuidString: $0) == nil ? nil : $0 }
        let outcome = simulation.receive(apnsID: apnsID, headers: headers.toBeRead, payload: request.body) { now in
            Result { () throws(APNsRefusal) in
                try authenticate(headers["authorization"], on: connection, at: now)
                return try PushRequest(
                    method: request.method,
                    path: request.path,
                    headers: headers,
                    payload: request.body,
                    bundleID: bundleID
                )
            }
        }
        return HTTP2Response(outcome)
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        state.withLock { _ = $0.connections.removeValue(forKey: connection.id) }
    }

    /// Who asks comes before what is asked for: Apple tells strangers nothing about topics.
    private func authenticate(
        _ authorization: String?,
        on connection: HTTP2ServerConnection,
        at now: Moment
    ) throws(APNsRefusal) {
        let isFirst = try state.withLock { state throws(APNsRefusal) in
            let token = try state.tokenCheck.check(authorization: authorization, at: now)
            let wasAuthenticated = state.connections[connection.id]?.isAuthenticated ?? false
            try state.connections[connection.id, default: SenderConnection()].take(token, at: now)
            return !wasAuthenticated
        }
        if isFirst { connection.setMaxConcurrentStreams(Self.streamsAfterAuthentication) }
    }
}

extension HTTP2Headers {
    /// What people may read of a request's headers: not the sender's token, and nothing without a bound.
    fileprivate var toBeRead: [PushLog.Header] {
        lazy.filter { $0.name.hasPrefix("apns-") }.prefix(PushRequest.singleHeaders.count + 1).map {
            PushLog.Header(name: String($0.name.prefix(40)), value: String($0.value.prefix(200)))
        }
    }
}

extension HTTP2Response {
    /// Apple's answer: 200 without a body, or the reason as JSON.
    init(_ outcome: PhoneWall.Outcome) {
        var headers = [HTTP2Header("apns-id", outcome.entry.apnsID, isIndexed: false)]
        guard let refusal = outcome.refusal else {
            if let id = outcome.uniqueID { headers.append(HTTP2Header("apns-unique-id", id, isIndexed: false)) }
            self.init(status: 200, headers: headers)
            return
        }
        headers.append(HTTP2Header("content-type", "application/json"))
        self.init(status: refusal.status, headers: headers, body: refusal.body(deadSince: outcome.deadSince))
    }
}
