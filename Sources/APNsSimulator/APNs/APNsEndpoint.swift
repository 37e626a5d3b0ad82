import Foundation
import HTTP2Transport
import Synchronization

/// APNs as senders see it: answers requests over HTTP/2 with what ``PushRequest``, ``ProviderTokenCheck`` and the wall
/// decide.
///
/// A connection may have one stream until its first request with a good provider token, as with Apple; the server is
/// to be configured with that limit.
final class APNsEndpoint: HTTP2RequestHandler {
    private let simulation: Simulation
    private let bundleID: String
    private let timer: APNsSimulator.Timer
    private let state: Mutex<State>

    private struct State {
        var tokenCheck: ProviderTokenCheck
        var connections: [HTTP2ServerConnection.ID: SenderConnection] = [:]
    }

    init(
        simulation: Simulation,
        tokenCheck: ProviderTokenCheck,
        bundleID: String,
        timer: @escaping APNsSimulator.Timer
    ) {
        self.simulation = simulation
        self.timer = timer
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
        let limit = state.withLock { $0.connections[connection.id]?.limitStreams(outcome.strike?.isLimitedToOneStream) }
        if let limit = limit ?? nil { connection.setMaxConcurrentStreams(limit) }
        return answer(outcome, to: request.streamID, on: connection)
    }

    /// Answers, unless something goes wrong on demand.
    private func answer(
        _ outcome: PhoneWall.Outcome,
        to streamID: Int32,
        on connection: HTTP2ServerConnection
    ) -> HTTP2Response? {
        let response = HTTP2Response(outcome)
        guard let strike = outcome.strike else { return response }
        switch strike.deed {
        case nil, .latency, .oneStream, .refusal:
            guard strike.delay > .zero else { return response }
            timer(strike.delay) { connection.respond(streamID, with: response) }
        case .goAway(let reason):
            // Everything before this stream was processed; streams of clients have odd numbers.
            connection.goAway(lastStreamID: max(0, streamID - 2), debugData: reason.body(deadSince: nil))
        case .reset(.internalError):
            connection.reset(streamID, errorCode: HTTP2ErrorCode.internalError)
        case .reset(.refusedStream):
            connection.reset(streamID, errorCode: HTTP2ErrorCode.refusedStream)
        case .lostAnswer, .connectionDrop:
            connection.close()
        case .stall:
            break
        }
        return nil
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
        try state.withLock { state throws(APNsRefusal) in
            let token = try state.tokenCheck.check(authorization: authorization, at: now)
            try state.connections[connection.id, default: SenderConnection()].take(token, at: now)
        }
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
