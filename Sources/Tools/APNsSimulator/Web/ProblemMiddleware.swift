import Hummingbird

/// Turns everything that goes wrong behind it into a ``Problem``.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as Problem {
            throw error
        } catch let error as WallError {
            throw Problem(error)
        } catch let error as PlayerRefusal {
            throw Problem(error)
        } catch let error as any HTTPResponseError {
            throw error.status == .notFound ? Problem.notFound : Problem(error)
        }
    }
}
