import HTTPTypes
import Hummingbird
import Logging

/// Answers everything that goes wrong behind it with a ``Problem``.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            guard HTTPRequest.Method.known.contains(request.method) else { throw Problem.unknownMethod }
            return try await next(request, context)
        } catch let error as BrokenRequest {
            // The server answers what is no HTTP, and nobody what ended too early.
            throw error.cause
        } catch  where Task.isCancelled && (Problem(error) ?? .internalError).status.kind == .serverError {
            // Out of time: what was under way has been interrupted, and says so in many ways.
            context.logger.warning("a request took too long", metadata: ["error": "\(error)"])
            return try Problem.tookTooLong.told(to: request).response
        } catch {
            guard let problem = Problem(error) else {
                context.logger.error("a request failed", metadata: ["error": "\(error)"])
                return try Problem.internalError.response
            }
            switch problem.kind {
            case .databaseUnavailable: context.logger.warning("no database", metadata: ["error": "\(error)"])
            case .tookTooLong: context.logger.warning("a statement took too long", metadata: ["error": "\(error)"])
            default: break
            }
            return try problem.told(to: request).response
        }
    }
}
