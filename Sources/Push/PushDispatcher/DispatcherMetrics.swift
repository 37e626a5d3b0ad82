import APNsClient
import Encodings
import GameCore
public import GameStore
import PushCadence
import PushDispatch
public import RangersMetrics

/// What a dispatcher counts and measures.
public struct DispatcherMetrics: Sendable {
    let pushes: Counters<PushLabels>
    let requestDuration: Histograms<PriorityLabel>
    let commitToAnswer: Histograms<PriorityLabel>
    let decisions: Counters<DecisionLabels>
    let forgottenTokens: Counters<TokenLabel>
    let leasedShards: Gauges<NoLabels>
    let lostLeases: Counters<NoLabels>
    let activities: Gauges<NoLabels>
    let underWay: Gauges<NoLabels>
    let waiting: Gauges<NoLabels>
    let failures: Counters<NoLabels>
    let stoppedRoutes: Gauges<EnvironmentLabel>

    /// Declares the metrics; those of a registry that nobody reads cost next to nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        pushes = registry.counters(
            "rangers_pushes_total",
            "Requests to APNs by priority, kind, status and reason; also those without an answer, and unsent ones.",
            by: PushLabels.self
        )
        requestDuration = registry.histograms(
            "rangers_push_request_duration_seconds",
            "From handing a push to the client until its outcome, waits for a stream included.",
            by: PriorityLabel.self,
            bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
            showing: PriorityLabel.all
        )
        commitToAnswer = registry.histograms(
            "rangers_push_commit_to_answer_seconds",
            "From the transaction of the newest event that a push tells of until APNs' answer; waits meant by the "
                + "cadence included.",
            by: PriorityLabel.self,
            bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
            showing: PriorityLabel.all
        )
        decisions = registry.counters(
            "rangers_cadence_decisions_total",
            "What the cadence decided for activities (send, wait, idle, drop), and why.",
            by: DecisionLabels.self
        )
        forgottenTokens = registry.counters(
            "rangers_tokens_forgotten_total",
            "Tokens that are not used again, since APNs called them dead.",
            by: TokenLabel.self,
            showing: TokenLabel.allCases
        )
        leasedShards = registry.gauges(
            "rangers_dispatcher_shards_leased",
            "Shards that this node sends for, of 256.",
            startsAtZero: true
        )
        lostLeases = registry.counters(
            "rangers_dispatcher_leases_lost_total",
            "Leases that ran out, or that another node took, before they were given back."
        )
        activities = registry.gauges(
            "rangers_dispatcher_activities",
            "Activities that this node keeps up to date.",
            startsAtZero: true
        )
        underWay = registry.gauges(
            "rangers_dispatcher_pushes_in_flight",
            "Pushes of this node that wait for their answer.",
            startsAtZero: true
        )
        waiting = registry.gauges(
            "rangers_dispatcher_activities_waiting",
            "Activities that wait until fewer pushes are under way: as many are as may be.",
            startsAtZero: true
        )
        failures = registry.counters(
            "rangers_dispatcher_failures_total",
            "Steps of the dispatcher that the database failed; they are tried again."
        )
        stoppedRoutes = registry.gauges(
            "rangers_apns_route_stopped",
            "1 while APNs refuses everything, so that no more than a probe is sent now and then; else 0.",
            by: EnvironmentLabel.self
        )
    }

    /// Whether APNs refuses everything in an environment.
    public func hasStoppedRoute(_ environment: PushEnvironment) -> Bool {
        stoppedRoutes.reading(of: EnvironmentLabel(environment)) == 1
    }

    /// A push has its outcome.
    func ended(_ push: OutgoingPush, _ outcome: APNsOutcome, took duration: Duration, at now: Timestamp) {
        let priority = PriorityLabel(push.request.priority)
        pushes.add(to: PushLabels(priority, push.kind, outcome))
        requestDuration.observe(duration, of: priority)
        switch outcome {
        case .accepted, .rejected:
            if let happenedAt = push.happenedAt { commitToAnswer.observe(now - happenedAt, of: priority) }
        case .unknown, .neverSent:
            break
        }
    }
}
