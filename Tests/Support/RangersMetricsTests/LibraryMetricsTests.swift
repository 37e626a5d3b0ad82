import CoreMetrics
import RangersMetrics
import Testing

struct LibraryMetricsTests {
    private let registry = MetricRegistry()
    private let libraries: LibraryMetrics

    init() { libraries = LibraryMetrics(registry: registry) }

    @Test func `metrics of libraries are exported beside those of the service`() async {
        registry.counters("rangers_pushes_total", "Pushes.").add()
        // Libraries create a metric for each use; all of them are one series.
        for _ in 1...2 {
            Counter(label: "http.requests", dimensions: [("status", "200"), ("http.route", "/v1")], factory: libraries)
                .increment()
        }
        FloatingPointCounter(label: "spent_total", factory: libraries).increment(by: 1.5)
        let meter = Meter(label: "pool-size", factory: libraries)
        meter.set(4)
        meter.decrement(by: 1)
        Gauge(label: "1st", factory: libraries).record(7)
        CoreMetrics.Timer(label: "wait", factory: libraries).recordNanoseconds(20_000_000)
        Recorder(label: "batch", dimensions: [("kind", "a")], factory: libraries).record(5)
        let lines = await registry.text().split(separator: "\n").map(String.init)
        for line in [
            "# TYPE http_requests_total counter", #"http_requests_total{http_route="/v1",status="200"} 2"#,
            "# HELP http_requests_total The metric http.requests of a library.", "spent_total 1.5",
            "# TYPE pool_size gauge", "pool_size 3", "_1st 7",
            #"wait_seconds_bucket{le="0.01"} 0"#, #"wait_seconds_bucket{le="0.025"} 1"#, "wait_seconds_sum 0.02",
            #"batch_bucket{kind="a",le="4"} 0"#, #"batch_bucket{kind="a",le="16"} 1"#, #"batch_count{kind="a"} 1"#,
            "rangers_pushes_total 1",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func `a library cannot change a metric of the service, or one with another form`() async {
        registry.counters("rangers_pushes_total", "Pushes.").add()
        Counter(label: "rangers.pushes", factory: libraries).increment(by: 40)
        Counter(label: "waits_total", factory: libraries).increment()
        Gauge(label: "waits_total", factory: libraries).record(40)
        Recorder(label: "waits_total", factory: libraries).record(40)
        Recorder(label: "sizes", dimensions: [("le", "1")], factory: libraries).record(40)
        let text = await registry.text()
        #expect(text.contains("\nrangers_pushes_total 1\n") && text.contains("\nwaits_total 1\n"))
        #expect(!text.contains("40") && !text.contains("sizes"))
    }

    @Test func `the series of a metric are bounded`() async {
        for number in 0...LibraryMetrics.maxSeries {
            Counter(label: "seen", dimensions: [("user", "\(number)")], factory: libraries).increment()
        }
        #expect(await registry.text().matches(of: /seen_total\{/).count == LibraryMetrics.maxSeries)
    }
}
