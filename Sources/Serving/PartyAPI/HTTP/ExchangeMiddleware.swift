import Encodings
import GameCore
import HTTPTypes
import Hummingbird
import Logging
import RangersMetrics
import ServiceRuntime

/// Gives each request its identifier, and the log one line about it.
///
/// The line names the route rather than the path, and of the path the adventure at most; no header, query or body. It says
/// which operator asked, and nothing of who plays. Nothing in it is secret.
struct ExchangeMiddleware: RouterMiddleware {
    /// Long enough for every kind of identifier in use, short enough for a log line.
    private static let longestRequestID = 128

    let runtime: Runtime
    let metrics: APIMetrics

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let requestID = Self.givenID(of: request) ?? runtime.requestID()
        var context = context
        // Hummingbird's own identifier would be a second one in every line.
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request-id"] = "\(requestID)"
        context.requestID = requestID

        metrics.underWay.add(1)
        defer { metrics.underWay.add(-1) }
        let start = ContinuousClock.now
        var response = try await next(request, context)
        let duration = ContinuousClock.now - start
        metrics.answered(request.method, context.endpointPath, response.status.code, after: duration)
        // Problems too: who asks with HEAD takes what follows the headers for the next answer.
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = requestID
        var metadata: Logger.Metadata = [
            "method": "\(request.method.rawValue)",
            "route": "\(context.endpointPath ?? "none")",
            "status": "\(response.status.code)",
            "milliseconds": "\(duration.wholeMicroseconds / 1_000)",
        ]
        if let route = context.endpointPath, let id = Self.adventure(in: request.uri.path, of: route) {
            metadata["adventure"] = "\(id)"
        }
        metadata["operator"] = context.caller.operator.map { "\($0)" }
        context.logger.info("request", metadata: metadata)
        return response
    }

    /// The adventure that a path names, where its route says so: by it the log of the engine and of the dispatcher is found.
    private static func adventure(in path: String, of route: String) -> AdventureID? {
        let fixed = route.utf8.prefix { $0 != UInt8(ascii: "{") }
        guard route.utf8.dropFirst(fixed.count).starts(with: "{adventureID}".utf8) else { return nil }
        // What comes before has no parameters: so far path and template are the same.
        let rest = path.utf8.dropFirst(fixed.count)
        return AdventureID(String(Substring(rest.prefix { $0 != UInt8(ascii: "/") })))
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
