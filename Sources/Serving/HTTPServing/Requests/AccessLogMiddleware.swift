import Encodings
import HTTPTypes
package import Hummingbird
package import Logging
import RangersMetrics
package import ServiceRuntime

/// Assigns the request identifier, measures the request, and writes one line about it to the log.
///
/// The line contains the route's template and the metadata in ``ServingContext/accessLog``, but no path, header, query
/// or body.
package struct AccessLogMiddleware: RouterMiddleware {
    /// The maximum length of a client's request identifier: enough for all common formats, short enough for a log line.
    private static let maxRequestIDBytes = 128

    private let runtime: Runtime
    private let metrics: HTTPMetrics
    private let details: @Sendable (_ path: String, _ route: String) -> Logger.Metadata

    /// Creates a middleware.
    /// - Parameters:
    ///   - runtime: the clock, and the randomness for identifiers.
    ///   - metrics: the metrics of the server.
    ///   - details: returns further metadata for the path and the route's template of a request.
    package init(
        runtime: Runtime,
        metrics: HTTPMetrics,
        details: @escaping @Sendable (_ path: String, _ route: String) -> Logger.Metadata
    ) {
        self.runtime = runtime
        self.metrics = metrics
        self.details = details
    }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: @concurrent (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        let requestID = Self.requestID(in: request) ?? runtime.requestID()
        var context = context
        // Hummingbird's own identifier would be a second one in every line.
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request-id"] = "\(requestID)"
        context.requestID = requestID

        metrics.requestsInFlight.add(1)
        defer { metrics.requestsInFlight.add(-1) }
        let start = ContinuousClock.now
        var response = try await next(request, context)
        let duration = ContinuousClock.now - start
        metrics.requestEnded(request.method, context.endpointPath, response.status.code, after: duration)
        // Problems have a body, too, which a client would parse as the next response.
        if request.method == .head { response = response.createHeadResponse() }
        response.headers[.requestID] = requestID
        var metadata: Logger.Metadata = [
            "method": "\(request.method.rawValue)",
            "route": "\(context.endpointPath ?? "none")",
            "status": "\(response.status.code)",
            "milliseconds": "\(duration.wholeMicroseconds / 1_000)",
        ]
        if let route = context.endpointPath {
            metadata.merge(details(request.uri.path, route)) { first, _ in first }
        }
        context.accessLog.add(to: &metadata)
        context.logger.info("request", metadata: metadata)
        return response
    }

    /// Returns the identifier from the client or a proxy; nil if it is missing, too long or has unsuitable characters.
    private static func requestID(in request: Request) -> String? {
        guard
            let id = request.headers[.requestID],
            id.utf8.count <= maxRequestIDBytes,
            id.wholeMatch(of: /[A-Za-z0-9._\-]+/) != nil
        else {
            return nil
        }
        return id
    }
}
