/// The delays of a ``Retrier``: they double up to eight seconds, and end a minute after the first failure.
///
/// A node restarts in half a minute. An outage of more than a minute is reported to the operator.
struct RetrySchedule {
    /// The time after the first failure within which the last attempt starts.
    static let timeLimit = Duration.seconds(60)
    private static let maxDelay = Duration.seconds(8)
    /// The duration above which an attempt counts as long.
    private static let longAttempt = Duration.seconds(10)

    private var delay = Duration.milliseconds(500)

    /// Returns whether another attempt is pointless: a server that reports a missing dependency after a long time would
    /// take as long again.
    static func isPointless(after error: OperatorClientError, attemptDuration: Duration) -> Bool {
        error.isNotReady && attemptDuration > longAttempt
    }

    /// Returns the delay before the next attempt.
    /// - Parameter elapsed: the time since the first failure.
    /// - Returns: the delay; nil if the time limit is reached.
    mutating func nextDelay(after elapsed: Duration) -> Duration? {
        guard elapsed < Self.timeLimit else { return nil }
        defer { delay = min(delay * 2, Self.maxDelay) }
        return min(delay, Self.timeLimit - elapsed)
    }
}

/// Retries a step after transient errors, and reports that to the operator.
struct Retrier {
    /// Receives messages for the operator.
    let report: (String) -> Void
    /// Whether to give up when a long attempt fails because the server is not ready; false for commands that run for
    /// minutes.
    var stopsAfterLongAttempts = false

    /// Runs a step until it succeeds, fails permanently, or the time limit is reached.
    /// - Parameters:
    ///   - shouldRetry: returns whether to retry after the first error; later errors are retried if they are transient.
    ///   - step: the step, which must be idempotent.
    /// - Returns: the result of the step.
    /// - Throws: the last error of the step; `CancellationError`.
    func run<Success>(
        after shouldRetry: (OperatorClientError) -> Bool,
        step: () async throws(OperatorClientError) -> Success
    ) async throws -> Success {
        var failure: OperatorClientError
        var attemptStart = ContinuousClock.now
        do throws(OperatorClientError) {
            return try await step()
        } catch {
            guard shouldRetry(error), !isPointless(after: error, attemptDuration: .now - attemptStart) else {
                throw error
            }
            failure = error
        }
        report("\(failure.summary); retrying for at most a minute")
        let firstFailure = ContinuousClock.now
        var schedule = RetrySchedule()
        while let delay = schedule.nextDelay(after: .now - firstFailure) {
            try await Task.sleep(for: delay)
            attemptStart = .now
            do throws(OperatorClientError) {
                let success = try await step()
                report("the server responds again")
                return success
            } catch {
                guard error.isTransient, !isPointless(after: error, attemptDuration: .now - attemptStart) else {
                    throw error
                }
                failure = error
            }
        }
        throw failure
    }

    private func isPointless(after error: OperatorClientError, attemptDuration: Duration) -> Bool {
        stopsAfterLongAttempts && RetrySchedule.isPointless(after: error, attemptDuration: attemptDuration)
    }
}
