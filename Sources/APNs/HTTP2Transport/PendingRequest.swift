/// A client's request that has no outcome yet, or whose stream is not yet closed.
final class PendingRequest: HTTP2Exchange {
    /// The receiver of the outcome.
    enum Receiver {
        /// A batch, in which the request has this index.
        case batch(RequestBatch, Int)
        /// A task that awaits this request only.
        case task(OutcomeAwaiter)
    }

    /// The number of the request, from 1.
    let number: Int
    /// The time at which the client's thread received the request.
    let submittedAt: ContinuousClock.Instant
    let deadline: ContinuousClock.Instant
    /// The time from which the request must not be sent; nil if only the deadline applies.
    let sendBy: ContinuousClock.Instant?
    let receiver: Receiver
    /// The number of times that a connection has returned the request.
    private(set) var attempts = 0
    /// Whether the request has its outcome; its stream may still be open.
    private(set) var isCompleted = false

    init(
        _ request: HTTP2ClientRequest,
        number: Int,
        submittedAt: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant,
        receiver: Receiver
    ) {
        self.number = number
        self.submittedAt = submittedAt
        self.deadline = deadline
        self.sendBy = request.sendBy
        self.receiver = receiver
        super.init(sending: request.message)
    }

    /// Returns whether the request is sent before another one.
    func precedes(_ other: PendingRequest) -> Bool {
        (deadline, number) < (other.deadline, other.number)
    }

    /// Returns whether the request must no longer be started.
    func isOver(at now: ContinuousClock.Instant) -> Bool {
        if deadline <= now { return true }
        guard let sendBy else { return false }
        return sendBy <= now
    }

    /// Prepares the request for another stream.
    func prepareRetry() {
        attempts += 1
        reset()
    }

    /// Marks the request as completed; called exactly once.
    func markCompleted() {
        precondition(!isCompleted, "a request has one outcome")
        isCompleted = true
    }
}

/// Requests that were submitted together and whose outcomes are delivered together, on the loop's thread.
final class RequestBatch {
    private var outcomes: [HTTP2Outcome]
    private var missing: Int
    private let completion: @Sendable ([HTTP2Outcome]) -> Void

    /// Creates a batch of at least one request.
    init(count: Int, completion: @escaping @Sendable ([HTTP2Outcome]) -> Void) {
        precondition(count > 0, "an empty batch would never complete")
        // Placeholders: every element is replaced before the array is read.
        self.outcomes = Array(repeating: .neverProcessed(.shutDown), count: count)
        self.missing = count
        self.completion = completion
    }

    /// Sets the outcome of a request; called exactly once for each index.
    /// - Returns: whether all requests of the batch now have outcomes.
    func complete(_ index: Int, _ outcome: consuming HTTP2Outcome) -> Bool {
        outcomes[index] = outcome
        missing -= 1
        return missing == 0
    }

    /// Calls the completion with the outcomes.
    func deliver() {
        precondition(missing == 0, "a batch is delivered only when it is complete")
        completion(outcomes)
    }
}
