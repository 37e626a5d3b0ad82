import APNsClient
import GameStore
import Logging
import Synchronization

/// Whether the ways to APNs work, as everybody here who sends has found them.
///
/// One breaker for each environment, since each has its key. What opens and closes is told to the operator, once.
final class RouteBoard: Sendable {
    private let breakers = Mutex<[PushEnvironment: RouteBreaker]>([:])
    private let limits: RouteBreaker.Limits
    private let logger: Logger

    init(limits: RouteBreaker.Limits, logger: Logger) {
        self.limits = limits
        self.logger = logger
    }

    /// Until when nothing goes to an environment; nil when something may.
    func pause(of environment: PushEnvironment, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        breakers.withLock { $0[environment]?.pause(at: now) }
    }

    /// Something is to go to an environment now: where its route is stopped, as the probe.
    ///
    /// - Returns: whether it may.
    func takes(_ environment: PushEnvironment, at now: ContinuousClock.Instant) -> Bool {
        breakers.withLock { $0[environment]?.takes(at: now) ?? true }
    }

    /// How to take an answer.
    func judge(
        _ outcome: APNsOutcome,
        for token: DeviceToken,
        in environment: PushEnvironment,
        at now: ContinuousClock.Instant
    ) -> RouteBreaker.Verdict {
        let (verdict, change) = breakers.withLock { breakers in
            breakers[environment, default: RouteBreaker(limits: limits)].answered(outcome, for: token, at: now)
        }
        switch change {
        case .opened(let reason):
            logger.error(
                "APNs refuses everything, and gets no more than a probe now and then",
                metadata: [
                    "environment": "\(environment.rawValue)", "reason": "\(reason.text)",
                    "mend": "check key, team, bundle identifier and environment in the settings",
                ]
            )
        case .closed:
            logger.notice("APNs takes pushes again", metadata: ["environment": "\(environment.rawValue)"])
        case nil:
            break
        }
        return verdict
    }
}
