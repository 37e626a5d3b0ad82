import Encodings
import Foundation
import GameCore
import HTTPTypes
import Logging
import NIOCore
import ServiceRuntime

/// Answers what no route gets to see, in the manner of the routes: with an identifier, and a line in the log.
struct Refusals: Sendable {
    let runtime: Runtime
    let metrics: APIMetrics
    let logger: Logger

    /// The answer, and the last one of its connection.
    func answer(to problem: Problem) -> (head: HTTPResponse, body: ByteBuffer) {
        let requestID = runtime.requestID()
        var logger = logger
        logger[metadataKey: "request-id"] = "\(requestID)"
        var head = HTTPResponse(
            status: problem.status,
            headerFields: [.contentType: Problem.contentType, .cacheControl: "no-store", .connection: "close"]
        )
        head.headerFields[.requestID] = requestID
        var body = ByteBuffer()
        do {
            body = ByteBuffer(string: try JSON.encode(problem))
        } catch {
            logger.error("a problem cannot be written", metadata: ["error": "\(error)"])
        }
        head.headerFields[.contentLength] = "\(body.readableBytes)"
        metrics.refused(problem.status.code)
        logger.info(
            "request",
            metadata: ["method": "none", "route": "none", "status": "\(problem.status.code)", "milliseconds": "0"]
        )
        return (head, body)
    }
}

extension Runtime {
    /// A new identifier of a request.
    func requestID() -> String {
        var generator = generator()
        return UUID(version7At: now(), using: &generator).lowercaseText
    }
}
