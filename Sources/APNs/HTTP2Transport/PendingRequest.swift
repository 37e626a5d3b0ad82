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

/// Requests that were submitted together, on the loop's thread.
final class RequestBatch {
    /// Receives the outcomes of one turn, each with the index of its request.
    typealias Receiver = @Sendable ([(index: Int, outcome: HTTP2Outcome)]) -> Void

    private var outcomes: [(index: Int, outcome: HTTP2Outcome)] = []
    let receive: Receiver
    /// Whether the receiver resumes tasks, and so is called in Swift's pool.
    let resumesTasks: Bool

    init(resumesTasks: Bool = false, _ receive: @escaping Receiver) {
        self.resumesTasks = resumesTasks
        self.receive = receive
    }

    /// Adds the outcome of a request; called exactly once for each index.
    /// - Returns: whether it is the first since the last delivery.
    func complete(_ index: Int, _ outcome: consuming HTTP2Outcome) -> Bool {
        outcomes.append((index, outcome))
        return outcomes.count == 1
    }

    /// Takes the outcomes since the last delivery.
    func take() -> [(index: Int, outcome: HTTP2Outcome)] {
        // The next part probably has a similar size.
        var part: [(index: Int, outcome: HTTP2Outcome)] = []
        part.reserveCapacity(outcomes.count)
        swap(&part, &outcomes)
        return part
    }
}
