import GameCore
import HTTPTypes
import Hummingbird
import Logging

/// Gives each request its identifier, and the log one line about it.
///
/// The line names the route rather than the path, and no header, query or body: nothing in it is secret or personal.
struct ExchangeMiddleware: RouterMiddleware {
    /// Long enough for every kind of identifier in use, short enough for a log line.
    private static let longestRequestID = 128

    let surroundings: Surroundings

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let requestID = Self.givenID(of: request) ?? surroundings.requestID()
        var context = context
        // Hummingbird's own identifier would be a second one in every line.
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request-id"] = "\(requestID)"
        context.requestID = requestID

        let start = ContinuousClock.now
        var response = try await next(request, context)
        let duration = ContinuousClock.now - start
        // Problems too: who asks with HEAD takes what follows the headers for the next answer.
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = requestID
        context.logger.info(
            "request",
            metadata: [
                "method": "\(request.method.rawValue)",
                "route": "\(context.endpointPath ?? "none")",
                "status": "\(response.status.code)",
                "milliseconds": "\(duration.wholeMicroseconds / 1_000)",
            ]
        )
        return response
    }

    /// The identifier that a proxy or the client gave, nil when there is none that a log can hold.
    private static func givenID(of request: Request) -> String? {
        guard
            let id = request.headers[.requestID],
            id.utf8.count <= longestRequestID,
            id.wholeMatch(of: /[A-Za-z0-9._\-]+/) != nil
        else {
            return nil
        }
        return id
    }
}
