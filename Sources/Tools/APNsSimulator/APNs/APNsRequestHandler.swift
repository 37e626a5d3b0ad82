import Encodings
import HTTP2Transport
import Logging

/// One of APNs' endpoints, which answers HTTP/2 requests with the decisions of ``ReceivedPush``, ``ManagementRequest``,
/// ``ProviderTokenCheck`` and the phone wall.
///
/// As with Apple, a connection is limited to one stream until its first request with a valid provider token; configure
/// the server with that limit.
final class APNsRequestHandler: HTTP2RequestHandler {
    /// The response to a sender, and the faults to apply to it.
    typealias Result = (response: HTTP2Response, injection: PushFaultInjector.Injection?)

    let simulator: SimulatorState
    let bundleID: String
    let authenticator: SenderAuthenticator
    private let endpoint: Endpoint
    private let timer: APNsSimulator.Timer
    private let logger: Logger

    init(
        endpoint: Endpoint,
        simulator: SimulatorState,
        authenticator: SenderAuthenticator,
        bundleID: String,
        timer: @escaping APNsSimulator.Timer,
        logger: Logger
    ) {
        self.endpoint = endpoint
        self.simulator = simulator
        self.authenticator = authenticator
        self.bundleID = bundleID
        self.timer = timer
        self.logger = logger
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        let received = ReceivedRequest(request, at: endpoint)
        let (response, injection) =
            switch endpoint {
            case .pushes: push(received, on: connection)
            case .channels: manage(received, on: connection)
            }
        authenticator.limitStreams(of: connection, injection?.isLimitedToOneStream)
        return connection.apply(injection, to: response, on: request.streamID, timer: timer)
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        authenticator.connectionClosed(connection)
    }

    func connectionRejected(beyond limit: Int) {
        logger.warning(
            "closing connections beyond the limit; raise the limit of open files (ulimit -n)",
            metadata: ["connections": "\(limit)", "endpoint": "\(endpoint)"]
        )
    }

    /// Processes a request to push.
    ///
    /// Authentication comes first: Apple reveals nothing about topics to unauthenticated senders.
    private func push(_ request: ReceivedRequest, on connection: HTTP2ServerConnection) -> Result {
        let outcome = simulator.receive(
            apnsID: request.identifier,
            headers: request.loggedHeaders,
            payload: request.body
        ) { now throws(RejectionReason) in
            try authenticator.authenticate(request["authorization"], on: connection, at: now)
            return try ReceivedPush(request, bundleID: bundleID)
        }
        return (HTTP2Response(outcome, identifierName: request.identifierName), outcome.injection)
    }
}

extension HTTP2Response {
    /// Creates Apple's response to a push: 200 without a body, or a rejection.
    ///
    /// The header `identifierName` carries the request's identifier.
    fileprivate init(_ outcome: PhoneWall.Outcome, identifierName: String) {
        let identifier = HTTP2Header(identifierName, outcome.entry.apnsID, isIndexed: false)
        if let rejection = outcome.rejection {
            self.init(rejection, identifier, invalidSince: outcome.invalidSince)
        } else {
            let uniqueID = outcome.uniqueID.map { HTTP2Header("apns-unique-id", $0, isIndexed: false) }
            self.init(status: 200, headers: [identifier] + (uniqueID.map { [$0] } ?? []))
        }
    }

    /// Creates Apple's response to a rejected request, with the reason as JSON.
    init(_ rejection: RejectionReason, _ identifier: HTTP2Header, invalidSince: Timestamp? = nil) {
        self.init(
            status: rejection.status,
            headers: [identifier, HTTP2Header("content-type", "application/json")],
            body: rejection.body(invalidSince: invalidSince)
        )
    }
}
