import Foundation
import HTTP2Transport
import Synchronization

/// A handler with one fault; its regular responses have the number of the connection as their body.
final class FaultHandler: HTTP2RequestHandler {
    /// The limit of streams of a connection.
    private static let streams = 1000

    private let fault: Fault
    private let rejectedTokens = Mutex(0)
    /// All streams, in order of arrival.
    private let streamIDs = Mutex<[Int32]>([])

    init(_ fault: Fault) {
        self.fault = fault
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        let all = streamIDs.withLock { streamIDs in
            streamIDs.append(request.streamID)
            return streamIDs
        }
        // A client sends one request before its first response.
        let isFirst = all.count == 1
        switch fault {
        case .limitFalls:
            if all.count == 1 + Self.streams { lowerLimit(all, connection) }
            return isFirst || all.count > 1 + Self.streams ? response(connection) : nil
        case .goAwayInTheMiddle:
            if all.count == 1 + Self.streams { goAway(all, connection) }
            return isFirst || connection.id > 1 ? response(connection) : nil
        case .die:
            if all.count == 10 { kill(getpid(), SIGKILL) }
            return isFirst ? response(connection) : nil
        case .storm(let status, let reason):
            return rejection(status, reason)
        case .tokens:
            return checkToken(of: request)
        case .resetInMidRequest, .noWindow:
            return response(connection)
        }
    }

    private func response(_ connection: HTTP2ServerConnection) -> HTTP2Response {
        HTTP2Response(status: 200, body: Array(String(connection.id).utf8))
    }

    private func rejection(_ status: Int, _ reason: String) -> HTTP2Response {
        HTTP2Response(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
    }

    private func checkToken(of request: HTTP2Request) -> HTTP2Response {
        guard let token = ProviderTokenClaims(authorization: request.headers["authorization"] ?? "") else {
            return rejection(403, "InvalidProviderToken")
        }
        let age = Date().timeIntervalSince1970 - Double(token.issuedAt)
        guard age <= 3600 else {
            rejectedTokens.withLock { $0 += 1 }
            return rejection(403, "ExpiredProviderToken")
        }
        let text = "\(token.keyID) \(rejectedTokens.withLock { $0 })"
        return HTTP2Response(status: 200, headers: [HTTP2Header("apns-unique-id", text)])
    }

    /// Lowers the limit; the server itself refuses further streams.
    private func lowerLimit(_ streamIDs: [Int32], _ connection: HTTP2ServerConnection) {
        connection.setMaxConcurrentStreams(1)
        for streamID in streamIDs { connection.respond(streamID, with: response(connection)) }
    }

    private func goAway(_ streamIDs: [Int32], _ connection: HTTP2ServerConnection) {
        let half = streamIDs.dropFirst().prefix(Self.streams / 2)
        connection.goAway(lastStreamID: half.last, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        for streamID in half { connection.respond(streamID, with: response(connection)) }
    }
}
