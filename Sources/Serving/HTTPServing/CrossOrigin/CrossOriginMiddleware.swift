import HTTPTypes
package import Hummingbird

/// Implements cross-origin resource sharing (WHATWG Fetch, section 3.3, "CORS protocol").
///
/// Credentials such as cookies are never allowed.
package struct CrossOriginMiddleware: RouterMiddleware {
    /// All methods of the routes that pages may call.
    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
    private static let requestHeaders =
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
    private static let responseHeaders =
        "ETag, Idempotent-Replayed, Quota-Limit, Quota-Remaining, Quota-Reset, RateLimit-Limit, RateLimit-Remaining, "
        + "RateLimit-Reset, Retry-After, X-Request-Id"
    /// The time for which browsers may cache a preflight response; two hours is the maximum of Chromium.
    private static let maxAgeSeconds = 2 * 60 * 60

    private let origins: AllowedOrigins
    private let excludedPrefix: String

    /// Creates a middleware.
    /// - Parameters:
    ///   - origins: the allowed origins.
    ///   - excludedPrefix: the prefix of paths that no page may call.
    package init(origins: AllowedOrigins, excludedPrefix: String) {
        self.origins = origins
        self.excludedPrefix = excludedPrefix
    }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: @concurrent (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        guard !request.uri.path.hasPrefix(excludedPrefix) else { return try await next(request, context) }
        let origin = request.headers[.origin].flatMap { origins.contains($0) ? $0 : nil }
        var response =
            if origin != nil, let preflight = preflightResponse(to: request) {
                preflight
            } else {
                try await next(request, context)
            }
        if origins != .all {
            // Caches must not serve this response to a page of another origin.
            response.headers.append(HTTPField(name: .vary, value: "Origin"))
        }
        if let origin {
            response.headers[.accessControlAllowOrigin] = origins == .all ? "*" : origin
            response.headers[.accessControlExposeHeaders] = Self.responseHeaders
        }
        return response
    }

    /// Returns the response to a preflight request; nil for any other request.
    private func preflightResponse(to request: Request) -> Response? {
        guard request.method == .options, request.headers[.accessControlRequestMethod] != nil else { return nil }
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: Self.methods,
                .accessControlAllowHeaders: Self.requestHeaders,
                .accessControlMaxAge: "\(Self.maxAgeSeconds)",
            ]
        )
    }
}
