/// Decides how an exchange that takes too long, or that nobody wants any more, is brought to its end.
///
/// First the server is asked to cancel, again and again, since a request that comes before its statement is ignored;
/// the answer then usually is an error, and the connection stays usable. If no answer comes in the grace period,
/// the connection is given up.
struct Patience {
    /// Why the exchange is to end.
    enum Reason: Equatable {
        /// Its time is over.
        case deadline
        /// Its task was cancelled.
        case interruption
    }

    /// What to do next.
    enum Step: Equatable {
        /// Wait for the server or a wake-up, but no longer than that.
        case wait(until: ContinuousClock.Instant?)
        /// Ask the server to cancel.
        case requestCancel
        /// Close the connection.
        case giveUp
    }

    /// How long a request to cancel is given before the next.
    static let interval: Duration = .milliseconds(250)

    private enum State {
        /// Nothing has happened: what follows is a deadline or an interruption.
        case patient(deadline: ContinuousClock.Instant?)
        /// The server has been asked to cancel: what follows is asking again, or giving up.
        case cancelling(Reason, askAgain: ContinuousClock.Instant, giveUp: ContinuousClock.Instant)
    }

    private let gracePeriod: Duration
    private var state: State

    /// - Parameters:
    ///   - deadline: when the exchange's time is over, nil for never.
    ///   - gracePeriod: how long the server may take to answer after the first request to cancel.
    init(deadline: ContinuousClock.Instant?, gracePeriod: Duration) {
        state = .patient(deadline: deadline)
        self.gracePeriod = gracePeriod
    }

    /// Until when a request to cancel may be under way once the exchange is at its end.
    ///
    /// One grace period is for both, since a server that answers nothing would otherwise keep whoever waits for two.
    /// - Parameter now: the time.
    /// - Returns: the end of the grace period; now, when nothing was cancelled.
    func settlesUntil(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        switch state {
        case .patient: now
        case .cancelling(_, _, let giveUp): giveUp
        }
    }

    /// Why the server was asked to cancel, nil when it was not.
    var reason: Reason? {
        switch state {
        case .patient: nil
        case .cancelling(let reason, _, _): reason
        }
    }

    /// Called before each wait.
    /// - Parameters:
    ///   - now: the time.
    ///   - isInterrupted: whether the task was cancelled.
    ///   - requestIsUnderWay: whether a request to cancel has not finished yet.
    /// - Returns: what to do now.
    mutating func next(
        at now: ContinuousClock.Instant,
        isInterrupted: Bool,
        requestIsUnderWay: Bool
    ) -> Step {
        switch state {
        case .patient(let deadline):
            if isInterrupted { return startCancelling(.interruption, at: now) }
            if let deadline, deadline <= now { return startCancelling(.deadline, at: now) }
            return .wait(until: deadline)
        case .cancelling(let reason, let askAgain, let giveUp):
            if giveUp <= now { return .giveUp }
            if requestIsUnderWay { return .wait(until: giveUp) }
            if now < askAgain { return .wait(until: min(askAgain, giveUp)) }
            state = .cancelling(reason, askAgain: now + Self.interval, giveUp: giveUp)
            return .requestCancel
        }
    }

    private mutating func startCancelling(_ reason: Reason, at now: ContinuousClock.Instant) -> Step {
        state = .cancelling(reason, askAgain: now + Self.interval, giveUp: now + gracePeriod)
        return .requestCancel
    }
}
