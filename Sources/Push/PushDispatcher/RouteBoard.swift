import APNsClient
import GameStore
import Logging
import RangersMetrics
import Synchronization

/// Whether the ways to APNs work, as everybody here who sends has found them.
///
/// One breaker for each environment, since each has its key. What opens and closes is told to the operator, once.
final class RouteBoard: Sendable {
    private struct Route {
        let client: any PushSender
        var breaker: CircuitBreaker
        /// Those that the breaker knows of.
        var keyChanges: Int

        init(_ client: any PushSender, limits: CircuitBreaker.Limits) {
            self.client = client
            self.breaker = CircuitBreaker(limits: limits)
            self.keyChanges = client.keyChanges
        }

        mutating func noticeKey(at now: ContinuousClock.Instant) {
            let changes = client.keyChanges
            if changes != keyChanges { breaker.routeChanged(at: now) }
            keyChanges = changes
        }
    }

    private let routes: Mutex<[PushEnvironment: Route]>
    private let metrics: DispatcherMetrics
    private let logger: Logger

    init(
        of clients: [PushEnvironment: any PushSender],
        limits: CircuitBreaker.Limits,
        metrics: DispatcherMetrics = DispatcherMetrics(),
        logger: Logger
    ) {
        for environment in clients.keys { metrics.stoppedRoutes.set(0, of: EnvironmentLabel(environment)) }
        self.metrics = metrics
        self.routes = Mutex(clients.mapValues { Route($0, limits: limits) })
        self.logger = logger
    }

    /// There is a token of an environment that APNs has taken a push to, from whichever node.
    func noteProvenToken(in environment: PushEnvironment) {
        routes.withLock { $0[environment]?.breaker.noteProvenToken() }
    }

    /// Until when nothing goes to a token of an environment; nil when something may.
    func pause(
        of environment: PushEnvironment,
        for standing: CircuitBreaker.TokenReputation,
        at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        routes.withLock { routes in
            routes[environment]?.noticeKey(at: now)
            return routes[environment]?.breaker.blockedUntil(for: standing, at: now)
        }
    }

    /// Something is to go to an environment now: where its route is stopped, as the probe.
    ///
    /// - Returns: whether it may.
    func takes(
        _ environment: PushEnvironment,
        for standing: CircuitBreaker.TokenReputation,
        at now: ContinuousClock.Instant
    ) -> Bool {
        routes.withLock { routes in
            routes[environment]?.noticeKey(at: now)
            return routes[environment]?.breaker.tryAcquire(standing, at: now) ?? true
        }
    }

    /// How to take an answer.
    func judge(
        _ outcome: APNsOutcome,
        for token: DeviceToken,
        _ standing: CircuitBreaker.TokenReputation,
        in environment: PushEnvironment,
        at now: ContinuousClock.Instant
    ) -> CircuitBreaker.Classification {
        let answered = routes.withLock { $0[environment]?.breaker.classify(outcome, for: token, standing, at: now) }
        // Whoever sends has a client, and so is on the board.
        guard let (verdict, change) = answered else { return .credible }
        switch change {
        case .opened(let reason):
            metrics.stoppedRoutes.set(1, of: EnvironmentLabel(environment))
            logger.error(
                "APNs refuses everything, and gets no more than a probe now and then",
                metadata: [
                    "environment": "\(environment.rawValue)", "reason": "\(reason.text)",
                    "mend": "check key, team, bundle identifier and environment in the settings",
                ]
            )
        case .unknownTokensRejected(let reason):
            logger.warning(
                "APNs refuses many tokens that it has never taken a push to, and has taken none in between",
                metadata: [
                    "environment": "\(environment.rawValue)", "reason": "\(reason.text)",
                    "mend":
                        "if phones get no pushes check bundle identifier and environment; else somebody registers tokens that are none",
                ]
            )
        case .closed:
            metrics.stoppedRoutes.set(0, of: EnvironmentLabel(environment))
            logger.notice("APNs takes pushes again", metadata: ["environment": "\(environment.rawValue)"])
        case nil:
            break
        }
        return verdict
    }
}
