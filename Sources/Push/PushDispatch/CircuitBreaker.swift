/// A circuit breaker for the pushes to one APNs environment, with one provider key and topic.
///
/// With a wrong topic, or with tokens of the other environment, APNs rejects every device token with the same reason as
/// a single invalid token. A sender that trusted these rejections would delete all of its tokens. On the other hand,
/// any player can register invalid tokens, and these must not stop the pushes of others. The breaker therefore
/// distinguishes tokens by ``TokenReputation``: once APNs has accepted a push to some token, only rejections of such
/// proven tokens open the breaker. Before the first acceptance no rejection of a token is credible; afterwards the
/// first few rejections after each acceptance are. A push whose rejection is doubtful is retried later and delays no
/// other push.
///
/// After enough rejections in a row the breaker opens: pushes wait, an operator is notified, and one push at a time is
/// sent as a probe, at growing intervals, until APNs accepts one. Apple throttles and closes connections with many such
/// errors, which is the other reason to stop. A rejection with status 410 does not count, since APNs knew both token
/// and topic.
///
/// The breaker is a value without a clock: the caller passes the monotonic time. The breaker adds no jitter to the
/// times of probes.
public struct CircuitBreaker: Sendable {
    /// The thresholds and intervals of a breaker.
    public struct Limits: Hashable, Sendable {
        /// The number of rejected tokens in a row that are credible after an accepted push.
        public var credibleRejections = 3
        /// The number of different rejected tokens in a row that opens the breaker.
        ///
        /// Only proven tokens count, or all tokens if none is proven.
        public var rejectedTokens = 10
        /// The number of rejections in a row that opens the breaker if they name the key, the team or the topic.
        public var rejectedRequests = 3
        /// The time from opening to the first probe; it doubles with each rejected probe.
        public var firstProbeDelay = Duration.seconds(30)
        /// The longest time between two probes, and so the longest delay of pushes after the cause is fixed.
        public var maxProbeDelay = Duration.seconds(5 * 60)

        /// Creates the default limits.
        public init() {}
    }

    /// The knowledge about a device token before a push to it.
    public enum TokenReputation: Hashable, Sendable {
        /// APNs has accepted a push to the token.
        case proven
        /// No push to the token has had an outcome yet.
        case unknown
        /// APNs has rejected the token, and the rejection was doubtful.
        case suspect
    }

    /// The classification of an outcome, which determines how the sender treats it.
    public enum Classification: Hashable, Sendable {
        /// The sender reacts to the outcome as Apple documents.
        case credible
        /// The configuration may be the cause: the sender keeps the device token and sends the newest state later.
        case doubtful
    }

    /// A change to report to an operator.
    public enum Change: Hashable, Sendable {
        /// The breaker opened; the reason is that of the last rejection.
        case opened(because: String)
        /// APNs rejects many different tokens that are not proven, and accepted no push in between.
        ///
        /// Either the tokens are invalid, or the topic or the environment is wrong and no push was sent to a proven
        /// token. Pushes continue.
        case unknownTokensRejected(because: String)
        /// The breaker closed: APNs accepts pushes again.
        case closed
    }

    private enum State: Hashable {
        case closed
        /// The next probe may be sent at `probeAt`.
        case open(pause: Duration, probeAt: ContinuousClock.Instant)
        /// One probe is in flight; if its outcome is not reported, another may be sent at `probeAt`.
        case probing(pause: Duration, probeAt: ContinuousClock.Instant)
    }

    private let limits: Limits
    private var state = State.closed
    private var hasAccepted = false
    private var hasProvenToken = false
    /// Rejections of tokens since the last acceptance.
    private var tokenRejections = 0
    /// Rejections that name the key, team or topic since the last acceptance.
    private var configurationRejections = 0
    /// The rejected tokens that count towards opening the breaker; at most as many as open it.
    private var rejectedTokens: Set<[UInt8]> = []
    /// The rejected tokens that do not count towards opening; at most as many as are reported.
    private var doubtfulTokens: Set<[UInt8]> = []

    /// Creates a closed breaker.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Notes that some token is proven, so that rejections of other tokens no longer count towards opening.
    public mutating func noteProvenToken() { hasProvenToken = true }

    /// Whether pushes flow.
    public var isClosed: Bool { state == .closed }

    /// Returns the time until which no push may be sent to a token of this reputation, or nil if one may be sent now.
    ///
    /// An open breaker allows one push, the probe, preferably to a good token: other tokens wait twice as long.
    public func blockedUntil(
        for reputation: TokenReputation,
        at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        switch state {
        case .closed:
            return nil
        case .open(let pause, let probeAt), .probing(let pause, let probeAt):
            let isGood = reputation == .proven || reputation == .unknown && !hasProvenToken
            let end = isGood ? probeAt : probeAt + pause
            return end <= now ? nil : end
        }
    }

    /// Acquires a permit for one push, which is the probe if the breaker is open.
    /// - Parameters:
    ///   - reputation: the reputation of the push's token.
    ///   - now: the time.
    /// - Returns: false if the push must not be sent now.
    public mutating func tryAcquire(_ reputation: TokenReputation, at now: ContinuousClock.Instant) -> Bool {
        guard blockedUntil(for: reputation, at: now) == nil else { return false }
        switch state {
        case .closed: break
        case .open(let pause, _), .probing(let pause, _): state = .probing(pause: pause, probeAt: now + pause)
        }
        return true
    }

    /// Notes that the provider key has changed: if the breaker is open, a push may be sent as a probe at once.
    public mutating func keyChanged(at now: ContinuousClock.Instant) {
        guard !isClosed else { return }
        state = .open(pause: limits.firstProbeDelay, probeAt: now)
    }

    /// Classifies the answer to a push, whether or not it was a probe.
    /// - Parameters:
    ///   - answer: the answer.
    ///   - token: the token of the push.
    ///   - reputation: the reputation of the token before the push.
    ///   - now: the time.
    /// - Returns: the classification of the answer, and the change to report to an operator, if any.
    public mutating func classify(
        _ answer: PushAnswer,
        for token: [UInt8],
        _ reputation: TokenReputation,
        at now: ContinuousClock.Instant
    ) -> (classification: Classification, change: Change?) {
        switch answer {
        case .accepted:
            return (.credible, accepted())
        case .unanswered, .neverSent:
            return (.credible, nil)
        case .rejected(let rejection):
            return rejected(rejection, token, reputation, at: now)
        }
    }

    private mutating func accepted() -> Change? {
        // Only unproven tokens opened the breaker, so the tokens were at fault and not the configuration.
        let wereTokensInvalid = !hasProvenToken && rejectedTokens.count >= limits.rejectedTokens
        hasAccepted = true
        hasProvenToken = true
        switch state {
        case .open where !wereTokensInvalid:
            // The push was sent before the breaker opened; the probe decides.
            return nil
        case .open, .closed, .probing:
            return close()
        }
    }

    private mutating func close() -> Change? {
        tokenRejections = 0
        configurationRejections = 0
        rejectedTokens = []
        doubtfulTokens = []
        defer { state = .closed }
        return isClosed ? nil : .closed
    }

    private mutating func rejected(
        _ rejection: PushRejection,
        _ token: [UInt8],
        _ reputation: TokenReputation,
        at now: ContinuousClock.Instant
    ) -> (Classification, Change?) {
        switch rejection.fault {
        case .other:
            return (.credible, nil)
        case .token where isProbing && rejectedTokens.count < limits.rejectedTokens:
            // The key, team or topic opened the breaker. APNs checks the token after them, so they are valid again.
            return (.doubtful, close())
        case .token where hasProvenToken && reputation != .proven:
            tokenRejections += 1
            // This probe proves nothing about the configuration: otherwise invalid tokens could keep the breaker open.
            if case .probing(let pause, let probeAt) = state { state = .open(pause: pause, probeAt: probeAt) }
            if isTokenRejectionCredible { return (.credible, nil) }
            return (.doubtful, noteDoubtful(token, because: rejection))
        case .token:
            tokenRejections += 1
            if rejectedTokens.count < limits.rejectedTokens { rejectedTokens.insert(token) }
            let classification: Classification = isTokenRejectionCredible ? .credible : .doubtful
            let isLimit = rejectedTokens.count >= limits.rejectedTokens
            return (
                classification, isLimit ? open(because: rejection, at: now) : reopen(because: rejection, at: now)
            )
        case .configuration:
            configurationRejections += 1
            let isLimit = configurationRejections >= limits.rejectedRequests
            return (.credible, isLimit ? open(because: rejection, at: now) : reopen(because: rejection, at: now))
        case .tokenRenewalRate:
            return (.credible, open(because: rejection, at: now))
        }
    }

    private var isProbing: Bool {
        if case .probing = state { true } else { false }
    }

    private var isTokenRejectionCredible: Bool {
        isClosed && hasAccepted && tokenRejections <= limits.credibleRejections
    }

    /// Records a rejected token that does not count towards opening.
    ///
    /// - Returns: the change to report if their number reaches the limit, once until APNs accepts a push; nil
    ///   otherwise.
    private mutating func noteDoubtful(_ token: [UInt8], because rejection: PushRejection) -> Change? {
        guard isClosed, doubtfulTokens.count < limits.rejectedTokens, doubtfulTokens.insert(token).inserted,
            doubtfulTokens.count == limits.rejectedTokens
        else { return nil }
        return .unknownTokensRejected(because: rejection.reason)
    }

    /// Opens a closed breaker; otherwise handles a rejected probe.
    private mutating func open(because rejection: PushRejection, at now: ContinuousClock.Instant) -> Change? {
        guard isClosed else { return reopen(because: rejection, at: now) }
        state = .open(pause: limits.firstProbeDelay, probeAt: now + max(limits.firstProbeDelay, rejection.retryAfter))
        return .opened(because: rejection.reason)
    }

    /// Doubles the probe delay after a rejected probe.
    ///
    /// Without a probe in flight the rejection is of an earlier push and changes nothing.
    private mutating func reopen(because rejection: PushRejection, at now: ContinuousClock.Instant) -> Change? {
        guard case .probing(let pause, _) = state else { return nil }
        let longer = min(pause * 2, limits.maxProbeDelay)
        state = .open(pause: longer, probeAt: now + max(longer, rejection.retryAfter))
        return nil
    }
}
