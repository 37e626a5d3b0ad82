import Foundation
import Testing

@testable import RangersMetrics

struct ProcessMetricsTests {
    @Test func `a stat line is parsed with any process name`() throws {
        let line = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 13 14 15 16 7 18 9000 123456789 321 22 23"
        let stat = try #require(ProcessStat(line))
        #expect(stat.parent == 1)
        #expect(stat.cpuTicks == 200)
        #expect(stat.childCPUTicks == 27)
        #expect(stat.threads == 7)
        #expect(stat.startTicks == 9000)
        #expect(stat.virtualBytes == 123_456_789)
        #expect(stat.residentPages == 321)
    }

    @Test(arguments: ["", "42 (a", "42 (a) S 1 2 3"])
    func `a malformed stat line is rejected`(line: String) {
        #expect(ProcessStat(line) == nil)
    }

    @Test func `the metrics of this process are plausible`() async throws {
        let registry = MetricRegistry()
        ProcessMetrics(in: registry)
        var values: [Substring: Double] = [:]
        for line in await registry.text().split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            values[parts[0]] = Double(parts[1])
        }
        #expect(Set(values.keys.map(String.init)) == Set(registry.names))
        #expect(try #require(values["process_open_fds"]) >= 3)
        #expect(try #require(values["process_max_fds"]) >= #require(values["process_open_fds"]))
        #expect(try #require(values["process_resident_memory_bytes"]) > 1_000_000)
        #expect(
            try #require(values["process_virtual_memory_bytes"])
                > #require(values["process_resident_memory_bytes"])
        )
        let start = try #require(values["process_start_time_seconds"])
        // A recent time, if the clock is set; the kernel rounds to a second.
        #expect(start > 1_700_000_000 && start < Date().timeIntervalSince1970 + 2)
        #expect(try #require(values["process_threads"]) >= 1)
        #expect(try #require(values["process_cpu_seconds_total"]) >= 0)
    }
}
