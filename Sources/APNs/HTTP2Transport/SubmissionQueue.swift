import Synchronization

/// The queue through which other threads submit requests to the client's thread.
final class SubmissionQueue: Sendable {
    /// The requests of one call.
    enum Submission: Sendable {
        case batch([HTTP2ClientRequest], until: ContinuousClock.Instant?, resumesTasks: Bool, RequestBatch.Receiver)
        case task(HTTP2ClientRequest, until: ContinuousClock.Instant?, OutcomeAwaiter)
    }

    private let content = Mutex<[Submission]>([])

    /// Appends a submission.
    ///
    /// - Returns: whether the queue was empty, so that the caller must wake the client's thread.
    func append(_ submission: Submission) -> Bool {
        content.withLock { content in
            content.append(submission)
            return content.count == 1
        }
    }

    /// Moves all submissions into an array, in order.
    ///
    /// - Parameter submissions: the array, whose elements are replaced and whose storage the queue reuses.
    func drain(into submissions: inout [Submission]) {
        submissions.removeAll(keepingCapacity: true)
        content.withLock { swap(&$0, &submissions) }
    }
}
