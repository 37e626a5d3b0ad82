import Hummingbird

/// Converts the errors of the routes into a ``SimulatorProblem``.
struct SimulatorProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as SimulatorProblem {
            throw error
        } catch let error as WallError {
            throw SimulatorProblem(error)
        } catch let error as PlayerProblem {
            throw SimulatorProblem(error)
        } catch let error as any HTTPResponseError {
            throw error.status == .notFound ? SimulatorProblem.notFound : SimulatorProblem(error)
        }
    }
}
