/// A state machine that delivers the newest report to the server, one request at a time.
///
/// Reports must not overtake each other: an older report that arrives late would undo a newer one, for example replace
/// an activity's new push token by the old one. Therefore the next report waits for the response to the one in flight,
/// and among waiting reports only the newest is sent. A report is retried until it is delivered, rejected or
/// superseded.
struct ReportQueue<Content: Sendable> {
    /// A report with the idempotency key for all of its attempts.
    struct Report {
        let content: Content
        let key: IdempotencyKey
        /// Whether no report follows.
        let isLast: Bool
    }

    /// The outcome of an attempt.
    enum Outcome: Hashable, Sendable {
        case delivered
        /// A permanent error: a retry would fail, too.
        case rejected
        /// A transient error: a retry may succeed.
        case failed(retryAfter: Duration?)
    }

    enum Action {
        case send(Report)
        case pause(failures: Int, retryAfter: Duration?)
        case finish
        case nothing
    }

    private enum State {
        /// There is no report. Next: `sending`.
        case idle
        /// A report is in flight; `newer` follows it, or supersedes it if the attempt fails. Next: any state.
        case sending(Report, newer: Report?, failures: Int)
        /// A report waits for its next attempt. Next: `sending`.
        case pausing(Report, failures: Int)
        /// The last report is delivered or rejected.
        case finished
    }

    private var state = State.idle

    /// Whether there is no report to send.
    var isIdle: Bool {
        switch state {
        case .idle, .finished: true
        case .sending, .pausing: false
        }
    }

    /// Handles a new report.
    mutating func enqueued(_ report: Report) -> Action {
        switch state {
        case .idle:
            state = .sending(report, newer: nil, failures: 0)
            return .send(report)
        case .sending(let current, let newer, let failures):
            guard !(newer ?? current).isLast else { return .nothing }
            state = .sending(current, newer: report, failures: failures)
            return .nothing
        case .pausing(let current, let failures):
            guard !current.isLast else { return .nothing }
            state = .pausing(report, failures: failures)
            return .nothing
        case .finished:
            return .nothing
        }
    }

    /// Handles the end of the attempt in flight.
    mutating func attemptEnded(_ outcome: Outcome) -> Action {
        guard case .sending(let current, let newer, let failures) = state else {
            preconditionFailure("no report is in flight in \(state)")
        }
        switch outcome {
        case .failed(let retryAfter):
            state = .pausing(newer ?? current, failures: failures + 1)
            return .pause(failures: failures + 1, retryAfter: retryAfter)
        case .delivered, .rejected:
            if let newer {
                state = .sending(newer, newer: nil, failures: 0)
                return .send(newer)
            }
            state = current.isLast ? .finished : .idle
            return current.isLast ? .finish : .nothing
        }
    }

    /// Handles the end of the pause before the next attempt.
    mutating func pauseEnded() -> Action {
        guard case .pausing(let report, let failures) = state else {
            preconditionFailure("no report waits in \(state)")
        }
        state = .sending(report, newer: nil, failures: failures)
        return .send(report)
    }
}
