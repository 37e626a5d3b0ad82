import HTTP2Transport
import Logging

/// APNs as senders see it, at one of its doors: answers requests over HTTP/2 with what ``PushRequest``,
/// ``ManagementRequest``, ``ProviderTokenCheck`` and the wall decide.
///
/// A connection may have one stream until its first request with a good provider token, as with Apple; the server is
/// to be configured with that limit.
final class APNsEndpoint: HTTP2RequestHandler {
    /// What a sender is answered, and what goes wrong with it on demand.
    typealias Answer = (response: HTTP2Response, strike: FaultBook.Strike?)

    let simulation: Simulation
    let bundleID: String
    let doorkeeper: Doorkeeper
    private let door: Door
    private let timer: APNsSimulator.Timer
    private let logger: Logger

    init(
        door: Door,
        simulation: Simulation,
        doorkeeper: Doorkeeper,
        bundleID: String,
        timer: @escaping APNsSimulator.Timer,
        logger: Logger
    ) {
        self.door = door
        self.simulation = simulation
        self.doorkeeper = doorkeeper
        self.bundleID = bundleID
        self.timer = timer
        self.logger = logger
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        let received = ReceivedRequest(request, at: door)
        let (response, strike) =
            switch door {
            case .pushes: push(received, on: connection)
            case .channels: manage(received, on: connection)
            }
        doorkeeper.limitStreams(of: connection, strike?.isLimitedToOneStream)
        return connection.answer(request.streamID, with: response, unless: strike, by: timer)
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        doorkeeper.connectionClosed(connection)
    }

    func connectionRefused(beyond limit: Int) {
        logger.warning(
            "a connection was closed at once, and further ones will be: raise the limit of open files (ulimit -n)",
            metadata: ["connections": "\(limit)", "door": "\(door)"]
        )
    }

    /// Who asks comes before what is asked for: Apple tells strangers nothing about topics.
    private func push(_ request: ReceivedRequest, on connection: HTTP2ServerConnection) -> Answer {
        let outcome = simulation.receive(
            apnsID: request.identifier,
            headers: request.headersToBeRead,
            payload: request.body
        ) { now throws(APNsRefusal) in
            try doorkeeper.authenticate(request["authorization"], on: connection, at: now)
            return try PushRequest(request, bundleID: bundleID)
        }
        return (HTTP2Response(outcome, identifierName: request.identifierName), outcome.strike)
    }
}

extension HTTP2Response {
    /// Apple's answer: 200 without a body, or a refusal, with the request's identifier in the header so named.
    fileprivate init(_ outcome: PhoneWall.Outcome, identifierName: String) {
        let identifier = HTTP2Header(identifierName, outcome.entry.apnsID, isIndexed: false)
        if let refusal = outcome.refusal {
            self.init(refusal, identifier, deadSince: outcome.deadSince)
        } else {
            let uniqueID = outcome.uniqueID.map { HTTP2Header("apns-unique-id", $0, isIndexed: false) }
            self.init(status: 200, headers: [identifier] + (uniqueID.map { [$0] } ?? []))
        }
    }

    /// Apple's refusal: the reason as JSON.
    init(_ refusal: APNsRefusal, _ identifier: HTTP2Header, deadSince: Moment? = nil) {
        self.init(
            status: refusal.status,
            headers: [identifier, HTTP2Header("content-type", "application/json")],
            body: refusal.body(deadSince: deadSince)
        )
    }
}
