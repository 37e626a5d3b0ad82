import ArgumentParser
import Encodings
import Foundation
import SimulatedPlayers
import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(10)))
struct BroadcastBenchmarkTests {
    private static let start = Timestamp(epochSeconds: 1_750_000_000)
    private static let subscribers = 30

    private var commits: RaidCommits {
        var commits = RaidCommits()
        for (version, milliseconds) in [(1, 0), (5, 1_000), (5, 1_500), (8, 2_000), (9, 2_900)] {
            commits.note(RaidCommits.State(version: version, at: Self.start + .milliseconds(milliseconds)))
        }
        commits.note(limit: Self.start + .milliseconds(2_030))
        commits.note(limit: Self.start + .milliseconds(3_050))
        return commits
    }

    /// A broadcast as the simulator logs it.
    private func broadcast(
        _ version: Int,
        at milliseconds: Int,
        second: Int? = nil,
        status: Int = 200,
        shown: Int = Self.subscribers
    ) throws -> LoggedPush {
        let timestamp = 1_750_000_000 + (second ?? milliseconds / 1_000)
        let entry: [String: Any] = [
            "number": 1, "time": (Self.start + .milliseconds(milliseconds)).rfc3339, "apnsID": "", "status": status,
            "reactions": ["shown": shown],
            "payload":
                #"{"aps":{"timestamp":\#(timestamp),"event":"update","content-state":{"sequence":\#(version)}}}"#,
        ]
        return try JSONDecoder().decode(LoggedPush.self, from: JSONSerialization.data(withJSONObject: entry))
    }

    private func log(_ broadcasts: LoggedPush...) -> BroadcastLog {
        BroadcastLog(broadcasts, of: commits, to: Self.subscribers)
    }

    @Test func `the latency of a state is from its commit to the first broadcast with it, or with a newer one`() throws
    {
        let log = log(
            try broadcast(5, at: 1_040),
            try broadcast(8, at: 2_050),
            try broadcast(9, at: 3_100)
        )
        #expect(log.failures == [] && log.broadcasts == 3)
        #expect(log.latencies == [.milliseconds(40), .milliseconds(50), .milliseconds(200)])
        // The limit held the others up until 2,030 ms and 3,050 ms.
        #expect(log.unheldLatencies == [.milliseconds(40), .milliseconds(20), .milliseconds(50)])
        let later = self.log(try broadcast(9, at: 3_100))
        #expect(later.latencies == [.milliseconds(2_100), .milliseconds(1_100), .milliseconds(200)])
    }

    @Test func `broadcasts that are not the newest, too many, rejected or not shown to all are failures`() throws {
        let cases: [(broadcasts: [LoggedPush], reason: String)] = [
            ([try broadcast(8, at: 2_050), try broadcast(5, at: 2_060, second: 3)], "version 5 after version 8"),
            ([try broadcast(5, at: 3_060, second: 1)], "replaced 1.1 s before"),
            ([try broadcast(8, at: 2_500, second: 3)], "the second 1750000003"),
            ([try broadcast(8, at: 2_050, status: 400)], "rejected"),
            ([try broadcast(8, at: 2_050, shown: 29)], "29 of 30"),
        ]
        let last = try broadcast(9, at: 3_100)
        for (broadcasts, reason) in cases {
            let failures = BroadcastLog(broadcasts + [last], of: commits, to: Self.subscribers).failures
            #expect(failures.first?.contains(reason) == true, "\(failures)")
        }
        let early = try broadcast(8, at: 2_050)
        #expect(log(early).failures == ["Version 9 did not arrive."])
        #expect(BroadcastLog([], of: RaidCommits(), to: 1).failures.count == 1)
    }

    @Test func `the report has every field of the help, and extrapolates to all subscribers`() throws {
        let result = BroadcastResult(
            subscribers: 1_000_000,
            phones: 10,
            parties: 20,
            seconds: 3,
            log: log(try broadcast(5, at: 1_040), try broadcast(8, at: 2_050), try broadcast(9, at: 3_000)),
            tokens: 1_000,
            pushSeconds: 0.1
        )
        try result.report.check()
        let object = try result.report.object
        #expect(object["pushesPerSecond"] as? Double == 10_000 && object["extrapolatedSeconds"] as? Double == 100)
        #expect(object["p99Milliseconds"] as? Double == 100 && object["ratio"] as? Double == 1_000)
        #expect(object["isWithinBar"] as? Bool == true)
        for field in object.keys { #expect(BroadcastBenchmark.configuration.discussion.contains(field)) }
    }

    @Test func `a small raid is broadcast to all subscribers, and pushed to some tokens`() async throws {
        let run = BroadcastRun(subscribers: 1_000, phones: 2, parties: 60, seconds: 6, tokens: 100)
        let result = try await run.measure()
        // A machine that is busy with other tests may hold a broadcast up.
        #expect(result.log.failures.filter { !$0.contains("replaced") } == [])
        #expect(result.log.broadcasts > 2 && result.log.latencies.count > 2 && result.pushSeconds > 0)
    }
}
