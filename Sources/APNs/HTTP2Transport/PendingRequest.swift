/// A request of a client on its way to its one outcome.
final class PendingRequest: HTTP2Exchange {
    /// Who is told of the outcome.
    enum Asker {
        /// The request with that index of a batch.
        case batch(RequestBatch, Int)
        /// One task that awaits this request alone.
        case task(OutcomeAwaiter)
    }

    /// Counts the client's requests.
    let number: Int
    let deadline: ContinuousClock.Instant
    /// It is not to be sent then or later; nil for its deadline.
    let sendBy: ContinuousClock.Instant?
    let asker: Asker
    /// How often a connection has given it back.
    private(set) var attempts = 0
    /// Whether its outcome is known; its stream may still have to be closed.
    private(set) var isSettled = false

    init(_ request: HTTP2ClientRequest, number: Int, deadline: ContinuousClock.Instant, asker: Asker) {
        self.number = number
        self.deadline = deadline
        self.sendBy = request.sendBy
        self.asker = asker
        super.init(sending: request.message)
    }

    /// Whether it is to be sent before another one.
    func precedes(_ other: PendingRequest) -> Bool {
        (deadline, number) < (other.deadline, other.number)
    }

    /// Whether it may not be started any more.
    func isOver(at now: ContinuousClock.Instant) -> Bool {
        if deadline <= now { return true }
        guard let sendBy else { return false }
        return sendBy <= now
    }

    /// Makes it ready for another stream.
    func startAgain() {
        attempts += 1
        forget()
    }

    /// To be called exactly once.
    func settle() {
        precondition(!isSettled, "a request has one outcome")
        isSettled = true
    }
}

/// Requests that were submitted together and are reported together, on the loop's thread.
final class RequestBatch {
    private var outcomes: [HTTP2Outcome]
    private var missing: Int
    private let completion: @Sendable ([HTTP2Outcome]) -> Void

    /// A batch of at least one request.
    init(count: Int, completion: @escaping @Sendable ([HTTP2Outcome]) -> Void) {
        precondition(count > 0, "an empty batch would never complete")
        // Each is replaced before any is read.
        self.outcomes = Array(repeating: .neverProcessed(.shutDown), count: count)
        self.missing = count
        self.completion = completion
    }

    /// To be called exactly once for each index.
    /// - Returns: whether it was the last.
    func settle(_ index: Int, _ outcome: consuming HTTP2Outcome) -> Bool {
        outcomes[index] = outcome
        missing -= 1
        return missing == 0
    }

    func report() {
        precondition(missing == 0, "a batch is reported when it is whole")
        completion(outcomes)
    }
}
