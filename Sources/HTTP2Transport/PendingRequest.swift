/// A request on its way to its one outcome, on the loop's thread.
struct PendingRequest {
    let request: HTTP2ClientRequest
    let deadline: ContinuousClock.Instant
    /// How often it was handed to a connection.
    var attempts = 0

    private let batch: RequestBatch
    private let index: Int

    init(_ request: HTTP2ClientRequest, deadline: ContinuousClock.Instant, batch: RequestBatch, index: Int) {
        self.request = request
        self.deadline = deadline
        self.batch = batch
        self.index = index
    }

    /// To be called exactly once.
    func complete(_ outcome: HTTP2Outcome) {
        batch.complete(index, outcome)
    }
}

/// Requests that were submitted together and are reported together, on the loop's thread.
final class RequestBatch {
    private var outcomes: [HTTP2Outcome?]
    private var missing: Int
    private let completion: @Sendable ([HTTP2Outcome]) -> Void

    /// A batch of at least one request.
    init(count: Int, completion: @escaping @Sendable ([HTTP2Outcome]) -> Void) {
        precondition(count > 0, "an empty batch would never complete")
        self.outcomes = Array(repeating: nil, count: count)
        self.missing = count
        self.completion = completion
    }

    func complete(_ index: Int, _ outcome: HTTP2Outcome) {
        precondition(outcomes[index] == nil, "a request has one outcome")
        outcomes[index] = outcome
        missing -= 1
        if missing == 0 { completion(outcomes.compactMap(\.self)) }
    }
}
