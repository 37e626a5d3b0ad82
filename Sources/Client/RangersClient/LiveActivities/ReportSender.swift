/// The driver of a ``ReportQueue``: sends reports and waits between attempts.
struct ReportSender<Content: Sendable> {
    private enum Input: Sendable {
        case enqueued(Content)
        case inputEnded
        case attemptEnded(ReportQueue<Content>.Outcome)
        case pauseEnded
    }

    /// The delays between attempts.
    ///
    /// A report is retried for as long as it is the newest: ``RetryPolicy/timeLimit`` does not apply.
    let retryPolicy: RetryPolicy
    let clock: any Clock<Duration>
    let randomBits: @Sendable () -> UInt64
    /// Sends a report once.
    let attempt: @Sendable (Content, IdempotencyKey) async throws -> Void
    /// Receives the error of each rejected report.
    let onError: @Sendable (any Error) -> Void

    /// Delivers reports; a newer report supersedes those that are still waiting.
    ///
    /// Returns when the last report is delivered or rejected, when the sequence has ended and no report is left, or
    /// when the task is cancelled.
    /// - Parameters:
    ///   - contents: the contents of the reports.
    ///   - isLast: returns whether no report follows.
    func deliver(
        _ contents: some AsyncSequence<Content, Never> & Sendable,
        isLast: @Sendable (Content) -> Bool
    ) async {
        // The buffer stays small: a few reports in hours, and at most one end of an attempt or a pause.
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await content in contents { input.yield(.enqueued(content)) }
                input.yield(.inputEnded)
            }
            var queue = ReportQueue<Content>()
            var inputHasEnded = false
            deliveries: for await event in inputs {
                let action: ReportQueue<Content>.Action
                switch event {
                case .enqueued(let content):
                    let key = IdempotencyKey(randomBits: randomBits)
                    action = queue.enqueued(.init(content: content, key: key, isLast: isLast(content)))
                case .inputEnded:
                    inputHasEnded = true
                    action = .nothing
                case .attemptEnded(let outcome): action = queue.attemptEnded(outcome)
                case .pauseEnded: action = queue.pauseEnded()
                }
                switch action {
                case .send(let report):
                    group.addTask { input.yield(.attemptEnded(await send(report))) }
                case .pause(let failures, let retryAfter):
                    let delay = delay(afterFailures: failures, retryAfter: retryAfter)
                    group.addTask {
                        // On cancellation the loop has ended already.
                        try? await clock.sleep(for: delay)
                        input.yield(.pauseEnded)
                    }
                case .finish: break deliveries
                case .nothing: break
                }
                if inputHasEnded, queue.isIdle { break deliveries }
            }
            group.cancelAll()
        }
    }

    private func delay(afterFailures failures: Int, retryAfter: Duration?) -> Duration {
        (retryAfter ?? .zero) + retryPolicy.jitter(afterFailures: failures, randomBits: randomBits())
    }

    private func send(_ report: ReportQueue<Content>.Report) async -> ReportQueue<Content>.Outcome {
        do {
            try await attempt(report.content, report.key)
            return .delivered
        } catch let error as RangersError where error.isTransient {
            return .failed(retryAfter: error.retryAfter)
        } catch {
            if !(error is CancellationError) { onError(error) }
            return .rejected
        }
    }
}
