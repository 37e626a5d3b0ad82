import Synchronization

/// Requests on their way to the client's thread, from any thread.
final class SubmissionQueue: Sendable {
    /// What one call asked for.
    enum Submission: Sendable {
        /// The closure is called once, on the client's thread: with the outcomes, in the order of the requests.
        case batch(
            [HTTP2ClientRequest],
            until: ContinuousClock.Instant? = nil,
            @Sendable ([HTTP2Outcome]) -> Void
        )
        case task(HTTP2ClientRequest, until: ContinuousClock.Instant?, OutcomeAwaiter)
    }

    private let content = Mutex<[Submission]>([])

    /// - Returns: whether it is the first, so that the thread has to be told; it takes those that follow as well.
    func append(_ submission: Submission) -> Bool {
        content.withLock { content in
            content.append(submission)
            return content.count == 1
        }
    }

    /// All that is there, in the order of coming.
    ///
    /// - Parameter submissions: takes it, instead of what it holds; its capacity is used for what comes next.
    func take(into submissions: inout [Submission]) {
        submissions.removeAll(keepingCapacity: true)
        content.withLock { swap(&$0, &submissions) }
    }
}
