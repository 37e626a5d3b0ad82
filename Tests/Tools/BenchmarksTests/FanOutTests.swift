import ArgumentParser
import Encodings
import Foundation
import GameCore
import GameFixtures
import SimulatedPlayers
import Testing

@testable import Benchmarks

@Suite struct FanOutTests {
    private static let start = Timestamp(epochSeconds: 1_750_000_000)
    private static let activities = (0..<3).map { ActivityID(rawValue: FixturePlan.uuid($0)) }

    /// A push as the simulator logs it.
    private func push(_ number: Int, to activity: Int, _ sequence: Int, at seconds: Double, status: Int? = 200) throws
        -> LoggedPush
    {
        var entry: [String: Any] = [
            "number": number, "time": (Self.start + .seconds(seconds)).rfc3339,
            "activityID": "\(Self.activities[activity])", "apnsID": "", "tokenStart": "a\(activity)",
            "payload": #"{"aps":{"timestamp":1,"event":"update","content-state":{"sequence":\#(sequence)}}}"#,
        ]
        entry["status"] = status
        return try JSONDecoder().decode(LoggedPush.self, from: JSONSerialization.data(withJSONObject: entry))
    }

    private func log(_ updates: [[LoggedPush]]) -> FanOutLog {
        var log = FanOutLog(of: Set(Self.activities))
        log.add([], dueAt: nil, before: Self.start)
        for (number, pushes) in updates.enumerated() {
            let due = Self.start + .seconds(15) * number
            log.add(pushes, dueAt: due, before: due + .seconds(15))
        }
        return log
    }

    @Test func `an update is complete when its last push has arrived, answered or not`() throws {
        let log = log([
            [
                try push(1, to: 0, 5, at: 1), try push(2, to: 1, 5, at: 2, status: nil), try push(3, to: 2, 5, at: 1.5),
                try push(4, to: 1, 5, at: 12),
            ],
            [try push(5, to: 0, 6, at: 16), try push(6, to: 1, 6, at: 16), try push(7, to: 2, 5, at: 16)],
        ])
        #expect(log.completions == [.seconds(2)] && log.incompleteUpdates == 1)
        #expect(log.arrivals.count == 5 && log.unansweredPushes == 1 && log.lastNumber == 7)
    }

    @Test func `a push of the next update that is read early belongs to the next update`() throws {
        let first = try (0..<3).map { try push($0 + 1, to: $0, 5, at: 1) }
        let second = try (0..<3).map { try push($0 + 4, to: $0, 6, at: 16) }
        let log = log([first + second.prefix(2), [second[2]]])
        #expect(log.completions == [.seconds(1), .seconds(1)] && log.incompleteUpdates == 0)
    }

    @Test func `an expired token gets one push and no update`() throws {
        let log = log([
            [
                try push(1, to: 0, 5, at: 1), try push(2, to: 1, 5, at: 1), try push(3, to: 2, 5, at: 9, status: 410),
            ],
            [
                try push(4, to: 0, 6, at: 17), try push(5, to: 1, 6, at: 16),
                try push(6, to: 2, 6, at: 16, status: 410),
            ],
        ])
        #expect(log.completions == [.seconds(1), .seconds(2)] && log.incompleteUpdates == 0)
        #expect(log.expiredTokens == 1 && log.repeatedPushes == 1)
    }

    @Test func `the report has the percentiles of all rounds, and failures`() throws {
        func round(_ log: FanOutLog) -> FanOutResult {
            FanOutResult(log: log, nodeCores: 0.5, simulatorCores: 0.25, postgresCores: 0.125)
        }
        let complete = log([try (0..<3).map { try push($0 + 1, to: $0, 5, at: 1 + Double($0)) }])
        let report = FanOutBenchmark.report([round(complete), round(complete)], tokens: 3, activities: 8)
        #expect(
            report.lines(fitting: nil) == [
                "ROUND  UPDATES  P50 S  P95 S  MAX S  NODE  SIMULATOR  POSTGRES",
                "    1        1   3.00   3.00   3.00  0.50       0.25      0.13",
                "    2        1   3.00   3.00   3.00  0.50       0.25      0.13",
                "",
                "An update to 3 of 8 activities is complete after 3.00 s (p50), 3.00 s (p95), 3.00 s (maximum); a push "
                    + "arrives after 2.00 s (p50), 3.00 s (p99).",
                "0 pushes got no answer; 0 tokens had expired, and 0 pushes repeated one to an expired token.",
            ]
        )
        #expect(report.failures.isEmpty)
        let object = try report.object
        #expect(object["p95Seconds"] as? Double == 3 && object["updates"] as? Int == 2)
        for field in object.keys { #expect(FanOutBenchmark.configuration.discussion.contains(field)) }
        let repeated = [try push(1, to: 0, 5, at: 1, status: 410), try push(2, to: 0, 5, at: 1, status: 410)]
        #expect(FanOutBenchmark.report([round(log([repeated]))], tokens: 3, activities: 8).failures.count == 2)
    }

    @Test(arguments: [(30, 12), (30_000, 12_139), (5, 5), (9, 1)])
    func `the activities to update are those of journeys that start together`(activities: Int, tokens: Int) {
        let crowd = FanOutCrowd(activities: activities, tokens: tokens, lasting: .seconds(900))
        let plan = crowd.plan(at: Self.start)
        #expect(crowd.phones(of: plan).count == activities && crowd.updated(of: plan).count == tokens)
        #expect(crowd.parties <= 10_000)
        for (number, _) in crowd.phones(of: plan).prefix(20) {
            let opening = plan.opening(number)
            #expect(plan.start(number, of: opening) == Self.start)
            #expect(!plan.isJourney(number) || opening.ticks > 60)
        }
    }
}

extension FixturePlan {
    fileprivate static func uuid(_ number: Int) -> UUID {
        live(parties: 1, interval: .seconds(1)).uuid(4, number)
    }
}
