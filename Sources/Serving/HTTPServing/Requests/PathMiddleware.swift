package import Hummingbird

/// Rejects paths that are not written as routes are: `//v1/heroes`, `/v1/heroes/`, `v1/heroes`.
///
/// The router ignores empty segments, so it would match such a path. The CORS rules, the exemptions from rate limits,
/// and proxies that restrict `/admin/` do not ignore them, and would take it for a different path. This middleware
/// therefore precedes the others.
package struct PathMiddleware: RouterMiddleware {
    package init() {}

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: @concurrent (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isCanonical(request.uri.path) else { return HTTPProblem.unknownRoute.response }
        return try await next(request, context)
    }

    /// Returns whether a path begins with a slash, and has neither empty segments nor a trailing slash.
    ///
    /// `/` is canonical.
    static func isCanonical(_ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash else { return false }
        guard path.utf8.count > 1 else { return true }
        return path.utf8.last != slash && !zip(path.utf8, path.utf8.dropFirst()).contains { $0 == (slash, slash) }
    }
}
