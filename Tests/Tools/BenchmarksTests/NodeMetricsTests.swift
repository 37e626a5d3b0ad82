import Testing

@testable import Benchmarks

@Suite struct NodeMetricsTests {
    private let text = MetricsText(
        """
        # HELP rangers_pushes_total Requests to APNs.
        # TYPE rangers_pushes_total counter
        rangers_pushes_total{priority="10",status="200"} 7
        rangers_pushes_total{priority="5",status="200"} 3
        rangers_pushes_total{priority="5",status="410"} 1
        rangers_dispatcher_activities 12
        took_seconds_bucket{priority="5",le="0.01"} 10
        took_seconds_bucket{priority="5",le="0.02"} 60
        took_seconds_bucket{priority="5",le="+Inf"} 60
        took_seconds_bucket{priority="10",le="0.01"} 0
        took_seconds_bucket{priority="10",le="0.02"} 30
        took_seconds_bucket{priority="10",le="+Inf"} 40
        took_seconds_sum{priority="10"} 3
        """
    )

    @Test func `the series of a metric are added`() {
        #expect(text.sum("rangers_pushes_total") == 11)
        #expect(text.sum("rangers_pushes_total", with: #"status="200""#) == 10)
        #expect(text.sum("rangers_dispatcher_activities") == 12)
        #expect(text.sum("rangers_pushes") == 0)
    }

    @Test func `percentiles are interpolated within their bucket`() {
        let took = text.histogram("took_seconds")
        #expect(took.count == 100)
        #expect(took.percentile(10) == 0.01)
        #expect(took.percentile(50) == 0.015)
        #expect(took.percentile(90) == 0.02)
        // The last finite bound.
        #expect(took.percentile(99) == 0.02)
        #expect(text.histogram("nothing").percentile(50) == nil)
    }

    @Test func `the difference of two snapshots has the observations between them`() {
        let earlier = HistogramSnapshot(cumulative: [0.01: 10, 0.02: 50, .infinity: 50])
        let later = text.histogram("took_seconds") - earlier
        #expect(later == HistogramSnapshot(cumulative: [0.01: 0, 0.02: 40, .infinity: 50]))
    }
}
