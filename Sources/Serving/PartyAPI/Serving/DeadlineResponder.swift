import Hummingbird

/// Gives each request a time in which its answer must be made.
///
/// What is under way then is cancelled, in the database too, and answered by ``ProblemMiddleware`` like everything else
/// that fails. If it gives an answer nonetheless, that is the answer.
struct DeadlineResponder<Base: HTTPResponder<APIContext>>: HTTPResponder {
    let base: Base
    let deadlines: RequestDeadlines

    @concurrent
    func respond(to request: Request, context: APIContext) async throws -> Response {
        // A task of its own, since only that can be cancelled without the connection's; it stays on the connection's loop.
        let executor = EventLoopTaskExecutor(context.channel.eventLoop)
        let work = Task.immediate(executorPreference: executor) {
            try await base.respond(to: request, context: context)
        }
        let ticket = deadlines.began { work.cancel() }
        defer { deadlines.ended(ticket) }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
