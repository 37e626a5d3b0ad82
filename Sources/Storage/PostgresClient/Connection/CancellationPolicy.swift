/// Decides how to end an exchange that exceeds its deadline or whose task was cancelled.
///
/// The server is asked to cancel repeatedly, because it ignores a request that arrives before its statement. It then
/// usually reports an error, and the connection stays usable. If it does not reply within the grace period, the
/// connection is closed.
struct CancellationPolicy {
    /// The reason to end the exchange.
    enum Reason: Equatable {
        /// The deadline has passed.
        case deadline
        /// The task was cancelled.
        case taskCancelled
    }

    /// The next action.
    enum Step: Equatable {
        /// Wait for the server or a wake-up, until the given time at most.
        case wait(until: ContinuousClock.Instant?)
        /// Send a cancellation request.
        case requestCancel
        /// Close the connection.
        case giveUp
    }

    /// The interval between two cancellation requests.
    static let interval: Duration = .milliseconds(250)

    private enum State {
        /// The exchange is running. Next: its deadline, or task cancellation.
        case running(deadline: ContinuousClock.Instant?)
        /// The server was asked to cancel. Next: another request, or giving up.
        case cancelling(Reason, nextRequest: ContinuousClock.Instant, giveUp: ContinuousClock.Instant)
    }

    private let gracePeriod: Duration
    private var state: State

    /// Creates the policy of one exchange.
    /// - Parameters:
    ///   - deadline: the exchange's deadline; nil for none.
    ///   - gracePeriod: how long the server may take to reply after the first cancellation request.
    init(deadline: ContinuousClock.Instant?, gracePeriod: Duration) {
        state = .running(deadline: deadline)
        self.gracePeriod = gracePeriod
    }

    /// Returns the time until which a cancellation request may stay in flight after the exchange has ended.
    ///
    /// Both share one grace period; otherwise an unresponsive server would delay the caller by two.
    /// - Parameter now: the current time.
    /// - Returns: the end of the grace period; `now` if nothing was cancelled.
    func cancellationDeadline(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        switch state {
        case .running: now
        case .cancelling(_, _, let giveUp): giveUp
        }
    }

    /// The reason for which the server was asked to cancel; nil if it was not asked.
    var reason: Reason? {
        switch state {
        case .running: nil
        case .cancelling(let reason, _, _): reason
        }
    }

    /// Returns the next action; called before each wait.
    /// - Parameters:
    ///   - now: the current time.
    ///   - isTaskCancelled: whether the task was cancelled.
    ///   - hasRequestInFlight: whether a cancellation request has not finished yet.
    /// - Returns: the next action.
    mutating func next(
        at now: ContinuousClock.Instant,
        isTaskCancelled: Bool,
        hasRequestInFlight: Bool
    ) -> Step {
        switch state {
        case .running(let deadline):
            if isTaskCancelled { return startCancelling(.taskCancelled, at: now) }
            if let deadline, deadline <= now { return startCancelling(.deadline, at: now) }
            return .wait(until: deadline)
        case .cancelling(let reason, let nextRequest, let giveUp):
            if giveUp <= now { return .giveUp }
            if hasRequestInFlight { return .wait(until: giveUp) }
            if now < nextRequest { return .wait(until: min(nextRequest, giveUp)) }
            state = .cancelling(reason, nextRequest: now + Self.interval, giveUp: giveUp)
            return .requestCancel
        }
    }

    private mutating func startCancelling(_ reason: Reason, at now: ContinuousClock.Instant) -> Step {
        state = .cancelling(reason, nextRequest: now + Self.interval, giveUp: now + gracePeriod)
        return .requestCancel
    }
}
