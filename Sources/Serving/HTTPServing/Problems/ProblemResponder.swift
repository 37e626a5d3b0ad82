import Encodings
import Foundation
import HTTPTypes
import Logging
import NIOCore
import ServiceRuntime

/// Responds to input that reaches no route as a route would: with a request identifier, and a line in the access log.
struct ProblemResponder: Sendable {
    let runtime: Runtime
    let metrics: HTTPMetrics
    let logger: Logger

    /// Returns the last response of a connection.
    func response(to problem: HTTPProblem) -> (head: HTTPResponse, body: ByteBuffer) {
        let requestID = runtime.requestID()
        let body = ByteBuffer(bytes: problem.json)
        var head = HTTPResponse(
            status: problem.status,
            headerFields: [
                .contentType: HTTPProblem.contentType, .cacheControl: "no-store", .connection: "close",
                .contentLength: "\(body.readableBytes)",
            ]
        )
        head.headerFields[.requestID] = requestID
        metrics.requestRejected(problem.status.code)
        logger.info(
            "request",
            metadata: [
                "request-id": "\(requestID)", "method": "none", "route": "none", "status": "\(problem.status.code)",
                "milliseconds": "0",
            ]
        )
        return (head, body)
    }
}

extension Runtime {
    /// Returns a new request identifier.
    func requestID() -> String {
        var generator = generator()
        return UUID(version7At: now(), using: &generator).lowercaseText
    }
}
