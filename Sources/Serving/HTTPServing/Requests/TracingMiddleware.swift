import HTTPTypes
package import Hummingbird
import Instrumentation
import Tracing

/// Continues the trace of each request with a span, which ends when the response is ready.
///
/// Hummingbird's own middleware records the path, the query and the client's address. Like the access log, this one
/// records the route's template only.
package struct TracingMiddleware: RouterMiddleware {
    /// Creates a middleware for the tracer of the process.
    package init() {}

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: @concurrent (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        var trace = InstrumentationContext.topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &trace, using: HeaderExtractor())
        return try await withSpan(request.method.knownName, context: trace, ofKind: .server) { span in
            let response = try await next(request, context)
            // Without a tracer nothing is recorded, and the attributes need not be created.
            guard span.isRecording else { return response }
            let route = context.endpointPath ?? "none"
            span.operationName = "\(request.method.knownName) \(route)"
            span.updateAttributes { attributes in
                attributes["http.request.method"] = request.method.knownName
                attributes["http.route"] = route
                attributes["http.response.status_code"] = response.status.code
                attributes["rangers.request_id"] = context.requestID
            }
            if response.status.kind == .serverError { span.setStatus(SpanStatus(code: .error)) }
            return response
        }
    }

    private struct HeaderExtractor: Extractor {
        func extract(key: String, from headers: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { headers[$0] }
        }
    }
}
