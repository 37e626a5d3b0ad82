import Encodings
import GameStore
import HTTPServing
import RangersMetrics
import Testing

@testable import NodeMonitoring
@testable import PushDispatcher

/// What a node tells of faults of the database and of the versions of nodes.
@Suite struct FaultMetricsTests {
    @Test(arguments: [(Duration.seconds(-1), "0"), (.seconds(90), "90")])
    func `a database's clock that was set back shows in a metric`(setback: Duration, value: String) async {
        let registry = MetricRegistry()
        let (metrics, now) = (DatabaseMetrics(in: registry), Timestamp(epochSeconds: 1_790_000_000))
        let statistics = BacklogStatistics(newestClock: now + setback, databaseTime: now)
        metrics.update(DatabaseMetrics.Reading(statistics: statistics, clockOffset: .zero))
        #expect(await registry.text().contains("\nrangers_database_clock_setback_seconds \(value)\n"))
        metrics.update(nil)
        #expect(await !registry.text().contains("\nrangers_database_clock_setback_seconds "))
    }

    @Test func `metrics of the game appear although the sessions of the database cannot be read`() async {
        let registry = MetricRegistry()
        let metrics = DatabaseMetrics(in: registry)
        let reading = DatabaseMetrics.Reading(
            statistics: BacklogStatistics(journeys: 3),
            clockOffset: .zero,
            snapshotAge: nil
        )
        metrics.update(reading)
        let text = await registry.text()
        #expect(text.contains("\nrangers_database_up 1\n"))
        #expect(text.contains("\nrangers_adventures{kind=\"journey\"} 3\n"))
        #expect(!text.contains("\nrangers_oldest_snapshot_seconds "))
    }

    @Test func `a node whose dispatcher leaves shards to newer nodes is not ready`() async {
        let metrics = DispatcherMetrics()
        let readiness = Readiness([], immediate: [.dispatcher(metrics)])
        #expect(await readiness.failures.isEmpty)
        metrics.unsupportedShards.set(1)
        #expect(await readiness.failures.map(\.name) == ["dispatcher"])
    }
}
