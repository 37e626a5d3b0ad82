import HTTPTypes
import Hummingbird

/// Tells browsers that scripts of other origins may use this API (WHATWG Fetch, section 3.3, "CORS protocol").
///
/// Operators' routes stay closed: nobody should keep an operator's token in a page. Cookies are never asked for.
struct CrossOriginMiddleware: RouterMiddleware {
    private static let operatorsPath = "/admin/"
    /// Everything that a route of players takes.
    private static let methods = "GET, HEAD, POST, PUT, DELETE"
    private static let requestHeaders =
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
    private static let answerHeaders =
        "ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id"
    /// How long browsers may keep the answer to a preflight; two hours is the most that Chromium does.
    private static let maxAgeSeconds = 2 * 60 * 60

    let origins: AllowedOrigins

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard !request.uri.path.hasPrefix(Self.operatorsPath) else { return try await next(request, context) }
        let origin = request.headers[.origin].flatMap { origins.contains($0) ? $0 : nil }
        var response =
            if origin != nil, let preflight = preflightAnswer(to: request) {
                preflight
            } else {
                try await next(request, context)
            }
        if origins != .all {
            // Whoever keeps an answer must not give it to a page of another origin.
            response.headers.append(HTTPField(name: .vary, value: "Origin"))
        }
        if let origin {
            response.headers[.accessControlAllowOrigin] = origins == .all ? "*" : origin
            response.headers[.accessControlExposeHeaders] = Self.answerHeaders
        }
        return response
    }

    /// What browsers ask before they send what a plain form could not; nil when it is no such question.
    private func preflightAnswer(to request: Request) -> Response? {
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
