import Hummingbird

/// Gives each request a time in which its answer must be made.
///
/// What is under way then is cancelled, in the database too, and answered by ``ProblemMiddleware`` like everything else
/// that fails. If it gives an answer nonetheless, that is the answer.
struct DeadlineResponder<Base: HTTPResponder>: HTTPResponder where Base.Context: Sendable {
    let base: Base
    let deadlines: RequestDeadlines

    @concurrent
    func respond(to request: Request, context: Base.Context) async throws -> Response {
        let work = Task { try await base.respond(to: request, context: context) }
        let ticket = deadlines.began { work.cancel() }
        defer { deadlines.ended(ticket) }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
