import Encodings
import Foundation
import GameCore
import GameLog
import TestSupport
import Testing

@Suite(.computing) struct ActivityReceiptsTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)
    private static let adventureID = AdventureID(rawValue: UUID())
    private static let activityID = ActivityID(rawValue: UUID())

    private static func second(_ seconds: Double) -> Timestamp { start + .milliseconds(Int64(seconds * 1_000)) }

    private static func entry(
        shown: [(Int, Double)] = [],
        showing: Int? = nil,
        endedAt: Timestamp? = nil,
        taps: Int = 0
    ) -> ActivityReport {
        ActivityReport(
            adventureID: adventureID,
            activityID: activityID,
            shown: shown.map { ShownState(sequence: $0.0, at: second($0.1)) },
            showing: showing,
            endedAt: endedAt,
            taps: taps
        )
    }

    private static func report(_ entry: ActivityReport, sentAt seconds: Double) -> ReceiptReport {
        ReceiptReport(
            sentAt: second(seconds),
            device: DeviceConditions(liveActivitiesEnabled: true),
            activities: [entry]
        )
    }

    private static func merge(
        _ report: ReceiptReport,
        receivedAfter latency: Duration = .milliseconds(200),
        into receipts: inout ActivityReceipts?
    ) -> ReceiptOutcome {
        ActivityReceipts.merge(
            into: &receipts,
            report,
            of: report.activities[0],
            receivedAt: report.sentAt + latency,
            newestSequence: 1_000
        )
    }

    /// A random report with everything that a report may have; `number` makes its time unique.
    private static func randomReport(_ number: Int, using random: inout SeededGenerator) -> ReceiptReport {
        let sent = Double(number * 10 + Int.random(in: 0..<10, using: &random))
        func moment(_ random: inout SeededGenerator) -> Timestamp? {
            Bool.random(using: &random) ? second(sent - Double.random(in: 0..<100, using: &random)) : nil
        }
        let budget = moment(&random).map { moment in
            BudgetReading(remaining: Int.random(in: 0..<300, using: &random), level: "frequent", at: moment)
        }
        let offline = moment(&random).map { OfflineInterval(from: $0 - .seconds(60), until: $0) }
        let shown = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
            ShownState(
                sequence: Int.random(in: 0..<80, using: &random),
                at: second(sent - Double.random(in: 0..<60, using: &random))
            )
        }
        return ReceiptReport(
            sentAt: second(sent),
            device: DeviceConditions(
                liveActivitiesEnabled: Bool.random(using: &random),
                liveActivitiesChangedAt: moment(&random),
                lowPowerMode: Bool.random(using: &random),
                budget: budget,
                offline: offline
            ),
            activities: [
                ActivityReport(
                    adventureID: adventureID,
                    activityID: activityID,
                    shown: shown,
                    showing: Bool.random(using: &random) ? Int.random(in: 0..<80, using: &random) : nil,
                    shownCount: Bool.random(using: &random) ? Int.random(in: 0..<90, using: &random) : nil,
                    staleAt: moment(&random),
                    endedAt: moment(&random),
                    dismissedAt: moment(&random),
                    tokenChangedAt: moment(&random),
                    taps: Int.random(in: 0..<9, using: &random)
                )
            ]
        )
    }

    @Test(arguments: UInt64(0)..<50)
    func `reports in any order, and repeated, give the same receipts`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let reports = (0..<12).map { Self.randomReport($0, using: &random) }
        let latencies = reports.map { _ in Duration.milliseconds(Int.random(in: 50..<90_000, using: &random)) }
        var expected: ActivityReceipts?
        for (report, latency) in zip(reports, latencies) {
            _ = Self.merge(report, receivedAfter: latency, into: &expected)
        }
        for _ in 0..<5 {
            var receipts: ActivityReceipts?
            for index in (Array(reports.indices) + Array(reports.indices)).shuffled(using: &random) {
                _ = Self.merge(reports[index], receivedAfter: latencies[index], into: &receipts)
                let decoded: ActivityReceipts = try #require(receipts.flatMap { ActivityReceipts(encoded: $0.encoded) })
                receipts = decoded
            }
            #expect(receipts == expected)
            let again = Self.merge(reports[3], receivedAfter: latencies[3] + .seconds(100), into: &receipts)
            #expect(!again.isChanged && again.shown.isEmpty)
        }
        #expect(try #require(expected).encoded.count < 400)
    }

    @Test func `a million reports take no more space than a hundred`() throws {
        var receipts: ActivityReceipts?
        for number in 0..<5_000 {
            let report = Self.report(
                Self.entry(shown: [(number, Double(number))], showing: number),
                sentAt: Double(number)
            )
            _ = ActivityReceipts.merge(
                into: &receipts,
                report,
                of: report.activities[0],
                receivedAt: report.sentAt,
                newestSequence: 10_000
            )
        }
        let kept = try #require(receipts)
        #expect(kept.shown.map(\.sequence) == Array(4_968..<5_000))
        #expect(kept.firstShownAt == Self.start)
        #expect(kept.encoded.count < 300)
    }

    @Test func `what cannot be true is refused by name, and the rest is used`() {
        var receipts: ActivityReceipts?
        let states = (0..<70).map { ($0, 10.0) } + [(1_001, 10), (-1, 10), (71, 100), (72, -90_000)]
        let entry = Self.entry(shown: states, showing: 2_000, endedAt: Self.second(200))
        let outcome = Self.merge(Self.report(entry, sentAt: 20), into: &receipts)
        #expect(outcome.refused == [.neverSent: 3, .fromFuture: 2, .tooOld: 1, .tooMany: 6])
        #expect(receipts?.shown.map(\.sequence) == Array(38..<70))
        #expect(receipts?.showing == nil && receipts?.endedAt == nil)
    }

    @Test func `a device whose clock is an hour ahead is understood`() {
        var receipts: ActivityReceipts?
        let report = Self.report(Self.entry(shown: [(4, 3_590)], showing: 4), sentAt: 3_610)
        let outcome = Self.merge(report, receivedAfter: .seconds(-3_600), into: &receipts)
        #expect(outcome.refused.isEmpty)
        #expect(outcome.shown == [ShownState(sequence: 4, at: Self.second(-10))])
        // A slow report says nothing new about the clock.
        _ = Self.merge(Self.report(Self.entry(), sentAt: 3_620), receivedAfter: .seconds(-3_500), into: &receipts)
        #expect(receipts?.clockOffset == .seconds(-3_600))
    }

    @Test(arguments: UInt64(0)..<50) func `malformed bytes are no receipts`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var receipts: ActivityReceipts?
        _ = Self.merge(Self.randomReport(1, using: &random), into: &receipts)
        let bytes = try #require(receipts).encoded
        for length in bytes.indices { #expect(ActivityReceipts(encoded: Array(bytes.prefix(length))) == nil) }
        #expect(ActivityReceipts(encoded: [9] + bytes.dropFirst()) == nil)
        for _ in 0..<200 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            // Without a trap; what decodes encodes again.
            if let decoded = ActivityReceipts(encoded: damaged) { _ = decoded.encoded }
        }
    }
}
