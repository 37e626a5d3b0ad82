/// A task that awaits the outcome of one request.
///
/// Unchecked, since `PendingRequest.settle` checks that there is exactly one, without another object for each.
@safe
struct OutcomeAwaiter: Sendable {
    private let continuation: UnsafeContinuation<HTTP2Outcome, Never>

    /// Hands the awaiter over, and returns when it is told.
    static func wait(_ start: (OutcomeAwaiter) -> Void) async -> HTTP2Outcome {
        await unsafe withUnsafeContinuation { start(unsafe OutcomeAwaiter(continuation: $0)) }
    }

    func tell(_ outcome: HTTP2Outcome) {
        unsafe continuation.resume(returning: outcome)
    }
}
