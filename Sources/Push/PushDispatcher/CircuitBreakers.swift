import APNsClient
import GameCore
import Logging
import PushDispatch
import RangersMetrics
import Synchronization

/// What the pushes to a topic are for.
enum PushTopic: String, CaseIterable {
    case liveActivities
    case alerts
    case widgets
}

/// The circuit breakers of one topic in all APNs environments, shared by its senders.
///
/// Each environment has a breaker, since each has its own key. Each topic has some, since a key may be limited to topics: one
/// that may not reload widgets must not stop Live Activities. Each state change is logged once.
final class CircuitBreakers: Sendable {
    private struct GuardedClient {
        let client: any PushSender
        var breaker: CircuitBreaker
        /// The number of key changes that the breaker has been informed of.
        var keyChanges: Int

        init(_ client: any PushSender, limits: CircuitBreaker.Limits) {
            self.client = client
            self.breaker = CircuitBreaker(limits: limits)
            self.keyChanges = client.keyChanges
        }

        var hasNewKey: Bool { client.keyChanges != keyChanges }

        mutating func noteKeyChanges(at now: ContinuousClock.Instant) {
            let changes = client.keyChanges
            if changes != keyChanges { breaker.keyChanged(at: now) }
            keyChanges = changes
        }
    }

    private let topic: PushTopic
    private let breakers: Mutex<[PushEnvironment: GuardedClient]>
    private let metrics: DispatcherMetrics
    private let logger: Logger

    init(
        of clients: [PushEnvironment: any PushSender],
        for topic: PushTopic = .liveActivities,
        limits: CircuitBreaker.Limits,
        metrics: DispatcherMetrics = DispatcherMetrics(),
        logger: Logger
    ) {
        for environment in clients.keys { metrics.openBreakers.set(0, of: RouteLabels(environment, topic)) }
        self.topic = topic
        self.metrics = metrics
        self.breakers = Mutex(clients.mapValues { GuardedClient($0, limits: limits) })
        self.logger = logger
    }

    /// Returns the breakers that are not closed.
    func open(at now: ContinuousClock.Instant) -> [PushEnvironment: CircuitBreaker] {
        breakers.withLock { breakers in
            for (environment, guarded) in breakers where guarded.hasNewKey {
                breakers[environment]?.noteKeyChanges(at: now)
            }
            return breakers.compactMapValues { $0.breaker.isClosed ? nil : $0.breaker }
        }
    }

    /// Records that APNs has accepted a push to some token of an environment, from this node or another.
    func noteProvenToken(in environment: PushEnvironment) {
        breakers.withLock { $0[environment]?.breaker.noteProvenToken() }
    }

    /// Returns the time until which no push may be sent to a token of an environment; nil if one may be sent now.
    func blockedUntil(
        in environment: PushEnvironment,
        for reputation: CircuitBreaker.TokenReputation,
        at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        breakers.withLock { breakers in
            breakers[environment]?.noteKeyChanges(at: now)
            return breakers[environment]?.breaker.blockedUntil(for: reputation, at: now)
        }
    }

    /// Requests permission to send a push now; while the breaker is open, the push is its probe.
    /// - Returns: whether the push may be sent.
    func tryAcquire(
        _ environment: PushEnvironment,
        for reputation: CircuitBreaker.TokenReputation,
        at now: ContinuousClock.Instant
    ) -> Bool {
        breakers.withLock { breakers in
            breakers[environment]?.noteKeyChanges(at: now)
            return breakers[environment]?.breaker.tryAcquire(reputation, at: now) ?? true
        }
    }

    /// Reports the answer to a push, and returns whether a rejection of its token is credible.
    func classify(
        _ answer: PushAnswer,
        for token: [UInt8],
        _ reputation: CircuitBreaker.TokenReputation,
        in environment: PushEnvironment,
        at now: ContinuousClock.Instant
    ) -> CircuitBreaker.Classification {
        let classified = breakers.withLock {
            $0[environment]?.breaker.classify(answer, for: token, reputation, at: now)
        }
        // Every sender has a client, and every client a breaker.
        guard let (classification, change) = classified else { return .credible }
        switch change {
        case .opened(let reason):
            metrics.openBreakers.set(1, of: RouteLabels(environment, topic))
            logger.error(
                "APNs rejects all pushes; only a probe is sent now and then",
                metadata: [
                    "environment": "\(environment.rawValue)", "topic": "\(topic.rawValue)", "reason": "\(reason)",
                    "remedy": "check key, team, bundle identifier and environment in the settings",
                ]
            )
        case .unknownTokensRejected(let reason):
            logger.warning(
                "APNs rejects many tokens to which it never accepted a push, and has accepted no push in between",
                metadata: [
                    "environment": "\(environment.rawValue)", "topic": "\(topic.rawValue)", "reason": "\(reason)",
                    "remedy":
                        "if phones get no pushes, check bundle identifier and environment; otherwise a client registers invalid tokens",
                ]
            )
        case .closed:
            metrics.openBreakers.set(0, of: RouteLabels(environment, topic))
            logger.notice(
                "APNs accepts pushes again",
                metadata: ["environment": "\(environment.rawValue)", "topic": "\(topic.rawValue)"]
            )
        case nil:
            break
        }
        return classification
    }
}
