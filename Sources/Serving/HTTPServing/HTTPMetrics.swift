import HTTPTypes
public import RangersMetrics

/// The metrics of an HTTP server.
public struct HTTPMetrics: Sendable {
    struct RequestLabels: MetricLabels {
        static let names = ["method", "route", "status"]
        let method: String
        let route: String
        let status: Int
        var values: [String] { [method, route, "\(status)"] }
    }

    struct RouteLabels: MetricLabels {
        static let names = ["method", "route"]
        let method: String
        let route: String
        var values: [String] { [method, route] }
    }

    private let requests: Counters<RequestLabels>
    private let durations: Histograms<RouteLabels>
    let requestsInFlight: Gauges<NoLabels>
    /// The number of open event streams.
    package let eventStreams: Gauges<NoLabels>

    /// Registers the metrics.
    ///
    /// By default they go to a registry of their own, which nothing exports.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        requests = registry.counters(
            "rangers_http_requests_total",
            "Requests by method, route template (\"none\" if no route matched) and response status.",
            by: RequestLabels.self
        )
        durations = registry.histograms(
            "rangers_http_request_duration_seconds",
            "Time from a request's headers until its response is ready, by method and route template.",
            by: RouteLabels.self,
            bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
        )
        requestsInFlight = registry.gauges(
            "rangers_http_requests_in_flight",
            "Requests whose response is not ready yet.",
            startsAtZero: true
        )
        eventStreams = registry.gauges("rangers_event_streams", "Open event streams.", startsAtZero: true)
    }

    /// Counts a request that a route, or the router itself, responded to.
    /// - Parameters:
    ///   - method: the method of the request. Unknown methods are counted as "other", since clients could invent any
    ///     number.
    ///   - route: the template of the route; nil if no route matched.
    ///   - status: the status of the response.
    ///   - duration: the time until the response was ready.
    func requestEnded(_ method: HTTPRequest.Method, _ route: String?, _ status: Int, after duration: Duration) {
        let method = method.knownName
        let route = route ?? "none"
        requests.add(to: RequestLabels(method: method, route: route, status: status))
        durations.observe(duration, of: RouteLabels(method: method, route: route))
    }

    /// Counts a request that did not reach the router.
    func requestRejected(_ status: Int) {
        requests.add(to: RequestLabels(method: "none", route: "none", status: status))
    }
}
