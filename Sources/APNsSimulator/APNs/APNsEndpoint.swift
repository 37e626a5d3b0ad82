import Foundation
import HTTP2Transport

/// APNs as senders see it: answers requests over HTTP/2 with what ``PushRequest``, ``BroadcastRequest``,
/// ``ProviderTokenCheck`` and the wall decide.
///
/// A connection may have one stream until its first request with a good provider token, as with Apple; the server is
/// to be configured with that limit.
final class APNsEndpoint: HTTP2RequestHandler {
    private let simulation: Simulation
    private let bundleID: String
    private let timer: APNsSimulator.Timer
    private let doorkeeper: Doorkeeper

    init(
        simulation: Simulation,
        doorkeeper: Doorkeeper,
        bundleID: String,
        timer: @escaping APNsSimulator.Timer
    ) {
        self.simulation = simulation
        self.timer = timer
        self.bundleID = bundleID
        self.doorkeeper = doorkeeper
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        let isBroadcast = request.path.hasPrefix(BroadcastRequest.pathPrefix)
        let outcome = isBroadcast ? publish(request, on: connection) : push(request, on: connection)
        doorkeeper.limitStreams(of: connection, outcome.strike?.isLimitedToOneStream)
        let response = HTTP2Response(outcome, idName: isBroadcast ? "apns-request-id" : "apns-id")
        return answer(response, unless: outcome.strike, to: request.streamID, on: connection)
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        doorkeeper.connectionClosed(connection)
    }

    /// Who asks comes before what is asked for: Apple tells strangers nothing about topics.
    private func push(_ request: HTTP2Request, on connection: HTTP2ServerConnection) -> PhoneWall.Outcome {
        let headers = request.headers
        let id = headers.identifier("apns-id")
        return simulation.receive(apnsID: id, headers: headers.toBeRead, payload: request.body) { now in
            Result { () throws(APNsRefusal) in
                try doorkeeper.authenticate(headers["authorization"], on: connection, at: now)
                return try PushRequest(
                    method: request.method,
                    path: request.path,
                    headers: headers,
                    payload: request.body,
                    bundleID: bundleID
                )
            }
        }
    }

    private func publish(_ request: HTTP2Request, on connection: HTTP2ServerConnection) -> PhoneWall.Outcome {
        let headers = request.headers
        return simulation.publish(
            requestID: headers.identifier("apns-request-id"),
            headers: headers.toBeRead,
            payload: request.body,
            topic: bundleID
        ) { now in
            Result { () throws(APNsRefusal) in
                try doorkeeper.authenticate(headers["authorization"], on: connection, at: now)
                return try BroadcastRequest(
                    method: request.method,
                    path: request.path,
                    headers: headers,
                    payload: request.body,
                    bundleID: bundleID
                )
            }
        }
    }

    /// Answers, unless something goes wrong on demand.
    private func answer(
        _ response: HTTP2Response,
        unless strike: FaultBook.Strike?,
        to streamID: Int32,
        on connection: HTTP2ServerConnection
    ) -> HTTP2Response? {
        guard let strike else { return response }
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
}

extension HTTP2Headers {
    /// The UUID in a header; what is kept of a request has a bound, also when nobody knows who sent it.
    func identifier(_ name: String) -> String? {
        self[name].flatMap { UUID(uuidString: $0) == nil ? nil : $0 }
    }

    /// What people may read of a request's headers: not the sender's token, and nothing without a bound.
    fileprivate var toBeRead: [PushLog.Header] {
        lazy.filter { $0.name.hasPrefix("apns-") }.prefix(PushRequest.singleHeaders.count + 1).map {
            PushLog.Header(name: String($0.name.prefix(40)), value: String($0.value.prefix(200)))
        }
    }
}

extension HTTP2Response {
    /// Apple's answer: 200 without a body, or the reason as JSON, with the request's identifier in the header so named.
    init(_ outcome: PhoneWall.Outcome, idName: String) {
        var headers = [HTTP2Header(idName, outcome.entry.apnsID, isIndexed: false)]
        guard let refusal = outcome.refusal else {
            if let id = outcome.uniqueID { headers.append(HTTP2Header("apns-unique-id", id, isIndexed: false)) }
            self.init(status: 200, headers: headers)
            return
        }
        headers.append(HTTP2Header("content-type", "application/json"))
        self.init(status: refusal.status, headers: headers, body: refusal.body(deadSince: outcome.deadSince))
    }
}
