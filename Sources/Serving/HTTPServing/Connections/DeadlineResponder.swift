import Hummingbird

/// A responder that cancels requests which exceed the request timeout.
///
/// The cancellation reaches the database, too. ``ProblemMiddleware`` responds to the resulting error as to any other.
/// If the request still produces a response, that response is sent.
struct DeadlineResponder<Base: HTTPResponder<ServingContext>>: HTTPResponder {
    let base: Base
    let deadlines: RequestDeadlines

    @concurrent
    func respond(to request: Request, context: ServingContext) async throws -> Response {
        // A task of its own can be cancelled without cancelling the connection's; it runs on the connection's event
        // loop.
        let executor = EventLoopTaskExecutor(context.channel.eventLoop)
        let work = Task.immediate(executorPreference: executor) {
            try await base.respond(to: request, context: context)
        }
        let ticket = deadlines.requestStarted { work.cancel() }
        defer { deadlines.requestEnded(ticket) }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
