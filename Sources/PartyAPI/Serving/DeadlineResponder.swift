import Hummingbird

/// Gives each request a time in which its answer must be made.
///
/// What is under way then is cancelled, in the database too, and answered by ``ProblemMiddleware`` like everything else
/// that fails. If it gives an answer nonetheless, that is the answer.
struct DeadlineResponder<Base: HTTPResponder>: HTTPResponder where Base.Context: Sendable {
    let base: Base
    let limit: Duration

    @concurrent
    func respond(to request: Request, context: Base.Context) async throws -> Response {
        try await withThrowingTaskGroup(of: Response?.self) { group in
            group.addTask { try await base.respond(to: request, context: context) }
            group.addTask {
                // Ends early by cancellation only, when the answer is there.
                try? await Task.sleep(for: limit)
                return nil
            }
            while let finished = try await group.next() {
                group.cancelAll()
                if let response = finished { return response }
            }
            preconditionFailure("one of the two tasks answers")
        }
    }
}
