import HTTPTypes
package import Hummingbird
import Logging

/// Responds to every error of the routes with a problem.
package struct ProblemMiddleware: RouterMiddleware {
    private let problemOfError: @Sendable (any Error) -> HTTPProblem?
    private let adapted: @Sendable (HTTPProblem, Request) -> HTTPProblem

    /// Creates a middleware for an API.
    /// - Parameters:
    ///   - problem: returns the problem for an error of the API; nil if the error is a fault of the server.
    ///   - adapted: adapts a problem to the sender of a request.
    package init(
        problem: @escaping @Sendable (_ error: any Error) -> HTTPProblem?,
        adapted: @escaping @Sendable (HTTPProblem, Request) -> HTTPProblem
    ) {
        problemOfError = problem
        self.adapted = adapted
    }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: @concurrent (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        do {
            guard HTTPRequest.Method.known.contains(request.method) else { throw HTTPProblem.unknownMethod }
            return try await next(request, context)
        } catch let error as IncompleteRequestError {
            // The connection handles the error; the client cannot receive a response.
            throw error.cause
        } catch {
            return adapted(problem(for: error, context.logger), request).response
        }
    }

    private func problem(for error: any Error, _ logger: Logger) -> HTTPProblem {
        let problem = knownProblem(for: error)
        if Task.isCancelled, problem?.status.kind ?? .serverError == .serverError {
            // The request timed out. Interrupted work throws many kinds of errors.
            logger.warning("request timed out", metadata: ["error": "\(error)"])
            return .tookTooLong
        }
        guard let problem else {
            logger.error("request failed", metadata: ["error": "\(error)"])
            return .internalError
        }
        if problem.status.kind == .serverError, !(error is HTTPProblem) {
            logger.warning("request failed", metadata: ["problem": "\(problem.kind.name)", "error": "\(error)"])
        }
        return problem
    }

    private func knownProblem(for error: any Error) -> HTTPProblem? {
        switch error {
        case let problem as HTTPProblem: problem
        case let error as HTTPError where error.status == .notFound: .unknownRoute
        default: problemOfError(error)
        }
    }
}
