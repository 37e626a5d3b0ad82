/// A task that awaits the outcome of one request.
///
/// An unsafe continuation saves an allocation for each request; `PendingRequest.markCompleted` checks that each request
/// has exactly one outcome.
@safe
struct OutcomeAwaiter: Sendable {
    private let continuation: UnsafeContinuation<HTTP2Outcome, Never>

    /// Suspends the task until the awaiter is resumed.
    static func wait(_ start: (OutcomeAwaiter) -> Void) async -> HTTP2Outcome {
        await unsafe withUnsafeContinuation { start(unsafe OutcomeAwaiter(continuation: $0)) }
    }

    /// Resumes the task with the outcome.
    func resume(_ outcome: HTTP2Outcome) {
        unsafe continuation.resume(returning: outcome)
    }
}
