import APNsClient
import Encodings
public import GameCore
import GameStore
import PushCadence
import PushDispatch
public import RangersMetrics

/// The metrics of a dispatcher.
public struct DispatcherMetrics: Sendable {
    let pushes: Counters<PushLabels>
    let requestDuration: Histograms<PriorityLabel>
    let commitToResponse: Histograms<PriorityLabel>
    let lag: Histograms<PriorityLabel>
    let decisions: Counters<DecisionKind>
    let forgottenTokens: Counters<TokenLabel>
    let fallbackAlerts: Counters<FallbackLabel>
    let leasedShards: Gauges<NoLabels>
    let lostLeases: Counters<NoLabels>
    let unsupportedShards: Gauges<NoLabels>
    let activities: Gauges<NoLabels>
    let inFlight: Gauges<NoLabels>
    let waiting: Gauges<NoLabels>
    let failures: Counters<NoLabels>
    let openBreakers: Gauges<RouteLabels>
    let channels: Gauges<ChannelLabels>
    let channelRequests: Counters<ChannelRequestLabels>

    /// Declares the metrics in a registry.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        func gauge(_ name: String, _ help: String) -> Gauges<NoLabels> {
            registry.gauges(name, help, startsAtZero: true)
        }
        pushes = registry.counters(
            "rangers_pushes_total",
            "Requests to APNs by priority, kind, status and reason, including those without a response and unsent ones.",
            by: PushLabels.self
        )
        requestDuration = registry.histograms(
            "rangers_push_request_duration_seconds",
            "Time from handing a push to the client until its outcome, including the wait for a stream.",
            by: PriorityLabel.self,
            bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
            showing: PriorityLabel.all
        )
        commitToResponse = registry.histograms(
            "rangers_push_commit_to_response_seconds",
            "Time from the newest event that a push reports until the response of APNs, "
                + "including the waits of the cadence.",
            by: PriorityLabel.self,
            bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
            showing: PriorityLabel.all
        )
        lag = registry.histograms(
            "rangers_push_lag_seconds",
            "Time from when a push was due, by the moment of what it reports and the waits of the cadence, until it was "
                + "handed to the client: how far this dispatcher is behind.",
            by: PriorityLabel.self,
            bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
            showing: PriorityLabel.all
        )
        decisions = registry.counters(
            "rangers_cadence_decisions_total",
            "Decisions of the cadence (send, wait, idle, drop), by reason.",
            by: DecisionKind.self
        )
        forgottenTokens = registry.counters(
            "rangers_tokens_forgotten_total",
            "Tokens that APNs reported as dead and that are not used again.",
            by: TokenLabel.self,
            showing: TokenLabel.allCases
        )
        fallbackAlerts = registry.counters(
            "rangers_fallback_alerts_total",
            "Ordinary alerts for devices that may show no Live Activity of the adventure: sent, or the reason why not.",
            by: FallbackLabel.self,
            showing: FallbackLabel.all
        )
        leasedShards = gauge("rangers_dispatcher_shards_leased", "Shards that this node sends for, of 256.")
        lostLeases = registry.counters(
            "rangers_dispatcher_leases_lost_total",
            "Leases that this node lost because it was too late to renew its presence, or that another node acquired."
        )
        unsupportedShards = gauge(
            "rangers_dispatcher_shards_unsupported",
            "Shards that this node leaves to others, since they need a newer version."
        )
        activities = gauge("rangers_dispatcher_activities", "Activities that this node keeps up to date.")
        inFlight = gauge("rangers_dispatcher_pushes_in_flight", "Pushes of this node in flight.")
        waiting = gauge(
            "rangers_dispatcher_activities_waiting",
            "Activities that wait because the maximum number of pushes is in flight."
        )
        failures = registry.counters(
            "rangers_dispatcher_failures_total",
            "Steps of the dispatcher that failed with the database; they are retried."
        )
        openBreakers = registry.gauges(
            "rangers_apns_route_stopped",
            "1 while a circuit breaker is open, so that only a probe is sent now and then; otherwise 0.",
            by: RouteLabels.self
        )
        channels = registry.gauges(
            "rangers_channels",
            "Broadcast channels by state, of the environments whose channels this node keeps; zero for others.",
            by: ChannelLabels.self
        )
        channelRequests = registry.counters(
            "rangers_channel_requests_total",
            "Requests to APNs about channels (create, delete, list, broadcast) by result.",
            by: ChannelRequestLabels.self
        )
    }

    /// Whether this node leaves shards to others, since they need a newer version.
    public var leavesShards: Bool { unsupportedShards.reading(of: NoLabels()).map { $0 > 0 } ?? false }

    /// Returns whether the circuit breaker of Live Activities in an environment is open.
    public func isBreakerOpen(_ environment: PushEnvironment) -> Bool {
        openBreakers.reading(of: RouteLabels(environment, .liveActivities)) == 1
    }

    /// Records the outcomes of pushes that were submitted together.
    func completed(_ pushes: [CompletedPush], took duration: Duration, at now: Timestamp) {
        self.pushes.add(each: pushes.lazy.map { PushLabels($0.push.request.priority, $0.push.kind, $0.outcome) })
        for label in PriorityLabel.all {
            var count = 0
            var lags: [Duration] = []
            var times: [Duration] = []
            for completed in pushes where completed.push.request.priority == label.priority {
                let order = completed.push.order
                count += 1
                if let dueAt = order.dueAt { lags.append(now - duration - dueAt) }
                if let eventAt = order.eventAt, completed.outcome.isResponse { times.append(now - eventAt) }
            }
            requestDuration.observe(duration, count: count, of: label)
            lag.observe(lags, of: label)
            commitToResponse.observe(times, of: label)
        }
    }
}

extension APNsOutcome {
    /// Whether APNs responded.
    fileprivate var isResponse: Bool {
        switch self {
        case .accepted, .rejected: true
        case .unknown, .neverSent: false
        }
    }
}
