/// Whether one way to APNs (one environment, key and topic) works at all, judged by what APNs answers.
///
/// With a wrong topic or the other environment's tokens APNs refuses every device token, each as if it alone were bad.
/// Whoever believed that would forget every token there is. On the other hand anybody can register tokens that are none,
/// and nobody's pushes may stop for that. So it matters whose token is refused (``Standing``): only one that APNs has taken a
/// push to before speaks against a route for which there is such a token. No token is believed to be dead before the route has
/// accepted a push, and then a few until it accepts the next; what is not believed is tried again later, and nothing
/// else waits for that.
///
/// When enough refusals come in a row the breaker opens: pushes wait, an operator is told, and one push at a time probes
/// the route, at growing intervals, until one is accepted. Apple slows connections down that gather such errors, and ends
/// them, which is the other reason to stop. A token that is dead by status 410 says nothing about the route: APNs knew the
/// token and the topic.
///
/// A value without a clock: the caller passes the time, on a clock that never goes back. Times of probes are only as
/// random as the calls are; whoever has many nodes adds jitter.
public struct RouteBreaker: Sendable {
    /// After how much it opens, and how often it probes.
    public struct Limits: Hashable, Sendable {
        /// How many refused tokens in a row are believed after the route has accepted a push.
        public var believedInARow = 3
        /// How many different tokens must be refused in a row: such as were accepted before, or of any kind while there is none
        /// of them.
        public var tokensInARow = 10
        /// How many refusals in a row must name the key, the team or the topic.
        public var routeRefusalsInARow = 3
        /// From opening to the first probe; it doubles with each probe that is refused.
        public var firstPause = Duration.seconds(30)
        /// Never longer than this between two probes: so much later than the mending do phones hear of it.
        public var longestPause = Duration.seconds(5 * 60)

        /// The default limits.
        public init() {}
    }

    /// What is known of a device token before a push to it.
    public enum Standing: Hashable, Sendable {
        /// APNs has taken a push to it.
        case proven
        /// Nothing.
        case unknown
        /// APNs has refused it, and that was not believed.
        case suspect
    }

    /// What an answer means beyond itself.
    public enum Verdict: Hashable, Sendable {
        /// React to the answer as it says.
        case believe
        /// The fault may be the route's: keep the device token, and send the newest state later.
        case doubt
    }

    /// What an operator is to be told.
    public enum Change: Hashable, Sendable {
        /// Nothing gets through, for the reason that was given last.
        case opened(because: APNsReason)
        /// Many different tokens that were never accepted are refused, and no push is accepted in between: they may be none,
        /// or the route is good for nobody but those who have nothing to be told. Pushes go on.
        case doubted(because: APNsReason)
        /// The route works again.
        case closed
    }

    private enum State: Hashable {
        case closed
        case open(pause: Duration, probeAt: ContinuousClock.Instant)
        /// One probe is under way; should its answer never be reported, the next goes out at that time.
        case probing(pause: Duration, probeAt: ContinuousClock.Instant)
    }

    private let limits: Limits
    private var state = State.closed
    /// A route that has never accepted anything is not believed about any token.
    private var hasAccepted = false
    /// Whether there is a token that speaks for or against the route better than one of which nothing is known.
    private var knowsProvenToken = false
    private var tokenRefusalsInARow = 0
    private var routeRefusalsInARow = 0
    /// At most as many as open the breaker.
    private var tokensInARow: Set<DeviceToken> = []
    /// Those that say nothing about the route, at most as many as are told of.
    private var doubtedInARow: Set<DeviceToken> = []

    /// A closed one.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// There is a token that APNs has taken a push to: from now on none of which that is not known stops the route.
    public mutating func noteProvenToken() { knowsProvenToken = true }

    /// Whether pushes flow.
    public var isClosed: Bool { state == .closed }

    /// Until when nothing is to be sent to a token; nil when something may be: where the route is stopped, one push, as a probe.
    ///
    /// The probe goes to the best token that there is: while one may come, others wait for twice as long.
    /// - Parameters:
    ///   - standing: what is known of the token.
    ///   - now: the time.
    /// - Returns: when to ask again.
    public func pause(of standing: Standing, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch state {
        case .closed:
            return nil
        case .open(let pause, let probeAt), .probing(let pause, let probeAt):
            let isGood = standing == .proven || standing == .unknown && !knowsProvenToken
            let end = isGood ? probeAt : probeAt + pause
            return end <= now ? nil : end
        }
    }

    /// A push is to go out now: where the route is stopped, as the probe, and others wait for its answer.
    /// - Parameters:
    ///   - standing: what is known of its token.
    ///   - now: the time.
    /// - Returns: whether it may.
    public mutating func takes(_ standing: Standing, at now: ContinuousClock.Instant) -> Bool {
        guard self.pause(of: standing, at: now) == nil else { return false }
        switch state {
        case .closed: break
        case .open(let pause, _), .probing(let pause, _): state = .probing(pause: pause, probeAt: now + pause)
        }
        return true
    }

    /// The route goes another way from now on, for example with another key: the next push probes it, however long the
    /// pause was to be.
    public mutating func changed(at now: ContinuousClock.Instant) {
        guard !isClosed else { return }
        state = .open(pause: limits.firstPause, probeAt: now)
    }

    /// Takes the answer to a push to that token, whether it was a probe or not.
    /// - Parameters:
    ///   - outcome: the answer.
    ///   - token: whose.
    ///   - standing: what was known of it before.
    ///   - now: the time.
    /// - Returns: how to take the answer, and what to tell an operator.
    public mutating func answered(
        _ outcome: APNsOutcome,
        for token: DeviceToken,
        _ standing: Standing,
        at now: ContinuousClock.Instant
    ) -> (verdict: Verdict, change: Change?) {
        switch outcome {
        case .accepted:
            return (.believe, accepted())
        case .unknown, .neverSent:
            return (.believe, nil)
        case .refused(let refusal):
            return refused(because: refusal, token, standing, at: now)
        }
    }

    private mutating func accepted() -> Change? {
        // Nothing was known of the tokens that stopped it but that they were refused: the fault was theirs.
        let wasTheirs = !knowsProvenToken && tokensInARow.count >= limits.tokensInARow
        hasAccepted = true
        knowsProvenToken = true
        switch state {
        case .open where !wasTheirs:
            // It was sent before the route was stopped; the probe tells.
            return nil
        case .open, .closed, .probing:
            return close()
        }
    }

    private mutating func close() -> Change? {
        tokenRefusalsInARow = 0
        routeRefusalsInARow = 0
        tokensInARow = []
        doubtedInARow = []
        defer { state = .closed }
        return isClosed ? nil : .closed
    }

    private mutating func refused(
        because refusal: APNsRejection,
        _ token: DeviceToken,
        _ standing: Standing,
        at now: ContinuousClock.Instant
    ) -> (Verdict, Change?) {
        switch refusal.blame {
        case .nobody:
            return (.believe, nil)
        case .token where isProbing && tokensInARow.count < limits.tokensInARow:
            // It was not stopped for tokens, and APNs looks at those last: key, team and topic are good again.
            return (.doubt, close())
        case .token where knowsProvenToken && standing != .proven:
            tokenRefusalsInARow += 1
            let isBelieved = isClosed && hasAccepted && tokenRefusalsInARow <= limits.believedInARow
            // Whoever's it is: were it told by such a token, anybody could keep the route stopped.
            if case .probing(let pause, let probeAt) = state { state = .open(pause: pause, probeAt: probeAt) }
            return (isBelieved ? .believe : .doubt, isBelieved ? nil : doubt(token, because: refusal))
        case .token:
            tokenRefusalsInARow += 1
            if tokensInARow.count < limits.tokensInARow { tokensInARow.insert(token) }
            let isBelieved = isClosed && hasAccepted && tokenRefusalsInARow <= limits.believedInARow
            let isRow = tokensInARow.count >= limits.tokensInARow
            return (
                isBelieved ? .believe : .doubt,
                isRow ? open(because: refusal, at: now) : reopen(because: refusal, at: now)
            )
        case .route:
            routeRefusalsInARow += 1
            let isRow = routeRefusalsInARow >= limits.routeRefusalsInARow
            return (.believe, isRow ? open(because: refusal, at: now) : reopen(because: refusal, at: now))
        case .pace:
            return (.believe, open(because: refusal, at: now))
        }
    }

    private var isProbing: Bool {
        if case .probing = state { true } else { false }
    }

    /// Counts a token that says nothing about the route; many of them are told, once until a push is accepted.
    private mutating func doubt(_ token: DeviceToken, because refusal: APNsRejection) -> Change? {
        guard isClosed, doubtedInARow.count < limits.tokensInARow, doubtedInARow.insert(token).inserted,
            doubtedInARow.count == limits.tokensInARow
        else { return nil }
        return .doubted(because: refusal.reason)
    }

    /// Opens a closed breaker.
    private mutating func open(because refusal: APNsRejection, at now: ContinuousClock.Instant) -> Change? {
        guard isClosed else { return reopen(because: refusal, at: now) }
        state = .open(pause: limits.firstPause, probeAt: now + max(limits.firstPause, refusal.retryAfter))
        return .opened(because: refusal.reason)
    }

    /// After a probe that was refused, waits twice as long; a refusal in no probe's time is a late one, and changes
    /// nothing.
    private mutating func reopen(because refusal: APNsRejection, at now: ContinuousClock.Instant) -> Change? {
        guard case .probing(let pause, _) = state else { return nil }
        let longer = min(pause * 2, limits.longestPause)
        state = .open(pause: longer, probeAt: now + max(longer, refusal.retryAfter))
        return nil
    }
}

extension APNsRejection {
    /// Whose fault a refusal is, as far as its reason tells.
    fileprivate enum Blame {
        /// The message, the moment or this very token.
        case nobody
        /// The token, or else the route's topic or environment.
        case token
        /// The route: its key, team, topic or environment.
        case route
        /// The route's provider token changed too often.
        case pace
    }

    /// How long the answer asks its sender to wait.
    fileprivate var retryAfter: Duration { .seconds(retryAfterSeconds ?? 0) }

    fileprivate var blame: Blame {
        switch reaction {
        case .retry, .reconnect, .dropMessage, .forgetChannel, .deleteChannels: .nobody
        case .forgetToken: status == 410 ? .nobody : .token
        // What another provider token could heal, the client has tried.
        case .stopRoute, .renewToken: .route
        case .pauseRoute: .pace
        }
    }
}
