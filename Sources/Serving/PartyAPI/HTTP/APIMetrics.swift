import HTTPTypes
public import RangersMetrics

/// What the API counts and measures.
public struct APIMetrics: Sendable {
    struct Exchange: MetricLabels {
        static let names = ["method", "route", "status"]
        let method: String
        let route: String
        let status: Int
        var values: [String] { [method, route, "\(status)"] }
    }

    struct Route: MetricLabels {
        static let names = ["method", "route"]
        let method: String
        let route: String
        var values: [String] { [method, route] }
    }

    private let requests: Counters<Exchange>
    private let durations: Histograms<Route>
    let underWay: Gauges<NoLabels>
    let streams: Gauges<NoLabels>

    /// Declares the metrics; those of a registry that nobody reads cost next to nothing.
    public init(in registry: MetricRegistry = MetricRegistry()) {
        requests = registry.counters(
            "rangers_http_requests_total",
            "Answers to requests, by method, template of the route (NotFound where there is none) and status.",
            by: Exchange.self
        )
        durations = registry.histograms(
            "rangers_http_request_duration_seconds",
            "From a request's headers until its answer is made, by method and template of the route.",
            by: Route.self,
            bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
        )
        underWay = registry.gauges(
            "rangers_http_requests_in_flight",
            "Requests whose answer is being made.",
            startsAtZero: true
        )
        streams = registry.gauges("rangers_event_streams", "Open streams of events.", startsAtZero: true)
    }

    /// A request of a route was answered.
    /// - Parameters:
    ///   - method: as the client sent it; an unknown one counts as such, since clients invent what they like.
    ///   - route: the template of the route; nil for what has none.
    ///   - status: of the answer.
    ///   - duration: until the answer was made.
    func answered(_ method: HTTPRequest.Method, _ route: String?, _ status: Int, after duration: Duration) {
        let method = HTTPRequest.Method.known.contains(method) ? method.rawValue : "other"
        let route = route ?? "none"
        requests.add(to: Exchange(method: method, route: route, status: status))
        durations.observe(duration, of: Route(method: method, route: route))
    }

    /// What no route gets to see was refused.
    func refused(_ status: Int) {
        requests.add(to: Exchange(method: "none", route: "none", status: status))
    }
}
