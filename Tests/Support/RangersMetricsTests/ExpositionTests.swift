import RangersMetrics
import Testing

struct ExpositionTests {
    private struct Route: MetricLabels {
        static let names = ["route", "status"]
        let route: String
        let status: Int
        var values: [String] { [route, "\(status)"] }
    }

    @Test func `metrics are written in Prometheus' text format, sorted`() async {
        let registry = MetricRegistry()
        let requests = registry.counters("rangers_requests_total", "Requests, \\ and\nmore.", by: Route.self)
        let streams = registry.gauges("rangers_streams", "Open \"streams\".")
        let times = registry.histograms("rangers_time_seconds", "Times.", by: Route.self, bounds: [0.1, 1])
        requests.add(to: Route(route: "/b", status: 200))
        requests.add(2, to: Route(route: "/a\"\\\n", status: 404))
        requests.add(each: [Route(route: "/b", status: 200), Route(route: "/b", status: 500)])
        streams.set(-1.5)
        times.observe(.milliseconds(100), of: Route(route: "/b", status: 200))
        times.observe(0.5, of: Route(route: "/b", status: 200))
        times.observe(20, of: Route(route: "/b", status: 200))
        times.observe(-3, of: Route(route: "/b", status: 200))
        #expect(
            await registry.text() == #"""
                # HELP rangers_requests_total Requests, \\ and\nmore.
                # TYPE rangers_requests_total counter
                rangers_requests_total{route="/a\"\\\n",status="404"} 2
                rangers_requests_total{route="/b",status="200"} 2
                rangers_requests_total{route="/b",status="500"} 1
                # HELP rangers_streams Open "streams".
                # TYPE rangers_streams gauge
                rangers_streams -1.5
                # HELP rangers_time_seconds Times.
                # TYPE rangers_time_seconds histogram
                rangers_time_seconds_bucket{route="/b",status="200",le="0.1"} 2
                rangers_time_seconds_bucket{route="/b",status="200",le="1"} 3
                rangers_time_seconds_bucket{route="/b",status="200",le="+Inf"} 4
                rangers_time_seconds_sum{route="/b",status="200"} 20.6
                rangers_time_seconds_count{route="/b",status="200"} 4

                """#
        )
    }

    @Test func `declared series start at 0`() async {
        let registry = MetricRegistry()
        _ = registry.counters("rangers_failures_total", "Failures.")
        _ = registry.counters("rangers_seen_total", "Seen.", by: Route.self, showing: [Route(route: "/", status: 1)])
        _ = registry.gauges("rangers_unknown", "Unknown.")
        let text = await registry.text()
        #expect(text.contains("\nrangers_failures_total 0\n"))
        #expect(text.contains("\nrangers_seen_total{route=\"/\",status=\"1\"} 0\n"))
        #expect(!text.contains("\nrangers_unknown "))
        #expect(registry.names == ["rangers_failures_total", "rangers_seen_total", "rangers_unknown"])
    }

    @Test(
        arguments: [
            (0.0, "0"), (1e20, "1e+20"), (0.001, "0.001"), (.infinity, "+Inf"), (-0.5, "-0.5"), (3e9, "3000000000"),
        ]
    )
    func `numbers are in the syntax of Prometheus`(number: Double, text: String) async {
        let registry = MetricRegistry()
        let gauge = registry.gauges("rangers_number", "A number.")
        gauge.set(number)
        #expect(await registry.text().hasSuffix("\nrangers_number \(text)\n"))
        gauge.set(nil)
        #expect(await registry.text().hasSuffix(" gauge\n"))
    }

    @Test func `closures update metrics before each scrape`() async {
        let registry = MetricRegistry()
        let gauge = registry.gauges("rangers_read", "Read.")
        registry.beforeReading { gauge.add(1) }
        #expect(await registry.text().hasSuffix("\nrangers_read 1\n"))
        #expect(await registry.text().hasSuffix("\nrangers_read 2\n"))
    }

    @Test func `a counter without the suffix _total traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = MetricRegistry().counters("rangers_requests", "Requests.")
        }
    }

    @Test func `an invalid name traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = MetricRegistry().gauges("rangers_größe", "Size.")
        }
        await #expect(processExitsWith: .failure) {
            _ = MetricRegistry().gauges("9_lives", "Lives.")
        }
    }

    @Test func `a duplicate name traps`() async {
        await #expect(processExitsWith: .failure) {
            let registry = MetricRegistry()
            _ = registry.gauges("rangers_streams", "Streams.")
            _ = registry.gauges("rangers_streams", "Streams.")
        }
    }
}
