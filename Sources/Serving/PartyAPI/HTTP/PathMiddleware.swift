import Hummingbird

/// Answers that there is nothing at a path which is not written as routes are: `//v1/heroes`, `/v1/heroes/`, `v1/heroes`.
///
/// The router leaves empty parts out, so that such a path would lead somewhere, while whatever else decides by the path (which
/// pages may ask, what is not limited, a proxy in front that keeps `/admin/` to itself) would see another one. So it stands
/// before all of them.
struct PathMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isPlain(request.uri.path) else { return try Problem.unknownRoute.response }
        return try await next(request, context)
    }

    /// Whether a path begins with a slash and has no empty part; `/` alone is none.
    static func isPlain(_ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash else { return false }
        guard path.utf8.count > 1 else { return true }
        return path.utf8.last != slash && !zip(path.utf8, path.utf8.dropFirst()).contains { $0 == (slash, slash) }
    }
}
