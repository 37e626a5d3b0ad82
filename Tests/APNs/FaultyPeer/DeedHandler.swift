import Foundation
import HTTP2Transport
import Synchronization

/// Does the deed, and is a good server otherwise: the body of an answer is the number of its connection.
final class DeedHandler: HTTP2RequestHandler {
    /// As many streams as a connection may have open.
    private static let streams = 1000

    private let deed: Deed
    private let refusedTokens = Mutex(0)
    /// All streams, in the order of coming.
    private let streamIDs = Mutex<[Int32]>([])

    init(_ deed: Deed) {
        self.deed = deed
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        let all = streamIDs.withLock { streamIDs in
            streamIDs.append(request.streamID)
            return streamIDs
        }
        // A client sends nothing else before its first answer.
        let isFirst = all.count == 1
        switch deed {
        case .limitFalls:
            if all.count == 1 + Self.streams { lowerLimit(all, connection) }
            return isFirst || all.count > 1 + Self.streams ? answer(connection) : nil
        case .goAwayInTheMiddle:
            if all.count == 1 + Self.streams { goAway(all, connection) }
            return isFirst || connection.id > 1 ? answer(connection) : nil
        case .die:
            if all.count == 10 { kill(getpid(), SIGKILL) }
            return isFirst ? answer(connection) : nil
        case .storm(let status, let reason):
            return refusal(status, reason)
        case .tokens:
            return judgeToken(of: request)
        case .resetInMidRequest, .noWindow:
            return answer(connection)
        }
    }

    private func answer(_ connection: HTTP2ServerConnection) -> HTTP2Response {
        HTTP2Response(status: 200, body: Array(String(connection.id).utf8))
    }

    private func refusal(_ status: Int, _ reason: String) -> HTTP2Response {
        HTTP2Response(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
    }

    private func judgeToken(of request: HTTP2Request) -> HTTP2Response {
        guard let token = ShownToken(authorization: request.headers["authorization"] ?? "") else {
            return refusal(403, "InvalidProviderToken")
        }
        let age = Date().timeIntervalSince1970 - Double(token.issuedAt)
        guard age <= 3600 else {
            refusedTokens.withLock { $0 += 1 }
            return refusal(403, "ExpiredProviderToken")
        }
        let text = "\(token.keyID) \(refusedTokens.withLock { $0 })"
        return HTTP2Response(status: 200, headers: [HTTP2Header("apns-unique-id", text)])
    }

    /// From then on, more than one stream at once is refused by the server itself.
    private func lowerLimit(_ streamIDs: [Int32], _ connection: HTTP2ServerConnection) {
        connection.setMaxConcurrentStreams(1)
        for streamID in streamIDs { connection.respond(streamID, with: answer(connection)) }
    }

    private func goAway(_ streamIDs: [Int32], _ connection: HTTP2ServerConnection) {
        let half = streamIDs.dropFirst().prefix(Self.streams / 2)
        connection.goAway(lastStreamID: half.last, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        for streamID in half { connection.respond(streamID, with: answer(connection)) }
    }
}
