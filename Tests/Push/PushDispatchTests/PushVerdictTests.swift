import Encodings
import Foundation
import GameCore
import GameLog
import TestSupport
import Testing

@testable import PushCadence
@testable import PushDispatch
@testable import PushRules

@Suite(.computing) struct PushVerdictTests {
    @Test func `ten pushes that were accepted and not shown have ten causes`() {
        var texts: [String] = []

        // Each device showed state 5 before; then APNs accepts a push of state 9 at 14:15:00.
        var device = ReportingDevice()
        device.reports(showing: 5, budget: 3, at: 40)
        device.pushes(9, .ownTurnAlert, at: 100)
        device.reports(showing: 5, budget: 0, at: 160)
        texts += device.texts(at: 200)

        device = ReportingDevice()
        device.appBuild = "214"
        for second in stride(from: 100, to: 400, by: 100) { device.pushes(second / 10, .ownTurnAlert, at: second) }
        for second in stride(from: 40, to: 500, by: 100) { device.reports(showing: 5, budget: 90, at: second) }
        texts += device.texts(at: 500).suffix(1)

        device = ReportingDevice()
        device.reports(showing: 5, at: 40)
        device.pushes(9, .ownTurnAlert, at: 100)
        device.reports(showing: 5, tokenChangedAt: 60, at: 160)
        texts += device.texts(at: 200)

        device = ReportingDevice()
        device.pushes(9, .ownTurnAlert, at: 100)
        device.reports(showing: nil, liveActivitiesOffAt: 80, at: 160)
        texts += device.texts(at: 200)

        device = ReportingDevice()
        device.reports(showing: 5, at: 40)
        device.pushes(9, .ownTurnAlert, at: 100)
        device.pushes(10, .ownTurnAlert, at: 150)
        device.reports(showing: 5, offline: 70...1_200, at: 1_240)
        texts += device.texts(at: 1_300).prefix(1)

        device = ReportingDevice()
        device.pushes(9, .ownTurnAlert, at: 100)
        device.reports(showing: nil, dismissedAt: 90, at: 160)
        texts += device.texts(at: 200)

        device = ReportingDevice()
        device.pushes(9, .ownTurnAlert, at: 100)
        device.reports(showing: nil, endedAt: 90, at: 160)
        texts += device.texts(at: 200)

        device = ReportingDevice()
        device.startedAt = ReportingDevice.start - .seconds(8 * 3_600 - 50)
        device.pushes(9, .ownTurnAlert, at: 100)
        texts += device.texts(at: 200)

        device = ReportingDevice()
        device.reports(showing: 5, at: 40)
        device.pushes(9, .smallChanges, at: 100)
        device.reports(showing: 5, savesPower: true, at: 160)
        texts += device.texts(at: 200)

        device = ReportingDevice()
        device.clockAhead = .seconds(180)
        for second in stride(from: 10, to: 50, by: 10) { device.reports(showing: 5, at: second) }
        device.pushes(9, .ownTurnAlert, at: 100)
        device.reports(showing: 5, at: 160)
        texts += device.texts(at: 200)

        #expect(
            texts == [
                "not shown, probably since the device's budget of priority 10 was spent (read at 2026-09-21T14:16:00Z)",
                """
                not shown, probably since the app, build 214, cannot decode the state: the device reports, but shows \
                state 5 ever since
                """,
                """
                not shown, probably since the device had got a newer token at 2026-09-21T14:14:20Z, which has not \
                reached the server
                """,
                "not shown: Live Activities were switched off (noticed at 2026-09-21T14:14:40Z)",
                """
                not shown, probably since the device had no network from 2026-09-21T14:14:30Z to 2026-09-21T14:33:20Z
                """,
                "not shown: the person removed the activity at 2026-09-21T14:14:50Z",
                "not shown: the activity had ended at 2026-09-21T14:14:50Z",
                "not shown: the system ended the activity at 2026-09-21T14:14:10Z, eight hours after its start",
                "not shown yet: the device saves power and defers pushes at priority 5",
                """
                not shown, probably since the device's clock is 179 s ahead, so that the push looked old
                """,
            ]
        )
    }

    @Test func `what was shown, or a newer state, is told with its delay`() {
        var device = ReportingDevice()
        for (second, sequence) in [(10, 3), (20, 4), (30, 4), (40, 6), (50, 7)] {
            device.pushes(sequence, .ownTurnAlert, at: second)
        }
        device.reports(shown: [(3, 11), (4, 22), (6, 43)], showing: 6, at: 60)
        #expect(
            device.texts(at: 70) == [
                "shown 0.9 s later", "shown 1.9 s later", "the device showed this state already", "shown 2.9 s later",
                "not known yet: the device may still show it",
            ]
        )
        device.reports(shown: [(9, 90)], showing: 9, at: 95)
        #expect(device.texts(at: 100).last == "superseded: the device showed state 9 instead, 39.9 s later")
    }

    @Test func `without evidence no cause is named`() {
        var device = ReportingDevice()
        device.pushes(9, .ownTurnAlert, at: 100)
        #expect(device.texts(at: 200) == ["not known yet: the device has reported nothing about the activity"])
        #expect(device.texts(at: 4_000) == ["cannot tell: the device has reported nothing about the activity"])
        device.reports(showing: 5, at: 110)
        #expect(
            device.texts(at: 4_000)
                == ["cannot tell: the device has reported nothing since 2026-09-21T14:15:10Z"]
        )
        device.reports(showing: 5, at: 160)
        #expect(
            device.texts(at: 4_000)
                == ["cannot tell: the device did not show the state, and reports nothing that explains it"]
        )
        // Spent budget explains it, and so does a time without a network.
        device.pushes(10, .ownTurnAlert, at: 170)
        device.reports(showing: 5, budget: 0, offline: 80...300, at: 320)
        #expect(
            device.texts(at: 4_000).first
                == "cannot tell: the device did not show the state, and there are several possible causes"
        )
    }

    @Test func `a token is named only if the device says when it got the newest one`() {
        // The app was closed when the second token was issued: it reports the time of the first one, or none.
        for firstToken in [2, nil] as [Int?] {
            var device = ReportingDevice()
            for second in [100, 200] { device.pushes(second / 10, .smallChanges, at: second) }
            device.generation = 2
            device.tokenRegisteredAt = ReportingDevice.start + .seconds(1_300)
            device.reports(showing: 5, tokenChangedAt: firstToken, at: 1_310)
            #expect(
                Set(device.texts(at: 1_400))
                    == ["cannot tell: the device did not show the state, and there are several possible causes"]
            )
        }
        // Of a later token, only the time after a push to its predecessor is its own.
        var device = ReportingDevice()
        device.generation = 2
        device.pushes(9, .ownTurnAlert, at: 100)
        device.pushes(10, .ownTurnAlert, at: 200)
        device.generation = 3
        device.tokenRegisteredAt = ReportingDevice.start + .seconds(290)
        device.reports(showing: 5, tokenChangedAt: 80, at: 300)
        #expect(device.texts(at: 400).last?.hasPrefix("cannot tell") == true)
        device.reports(showing: 5, tokenChangedAt: 150, at: 310)
        #expect(
            device.texts(at: 400).last == """
                not shown, probably since the device had got a newer token at 2026-09-21T14:15:50Z, which reached the \
                server at 2026-09-21T14:18:10Z
                """
        )
    }

    @Test func `a result that follows later belongs to its push`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(.heroHurt(hero: Seat(rawValue: 1), amount: 3, cause: .bossAttack))
        activity.pass(.milliseconds(300))
        try activity.completes(.accepted)
        let pushes = AcceptedPush.all(in: activity.log.records)
        #expect(pushes.map(\.reason) == [.newToken])
        #expect(pushes.map(\.acceptedAt) == [LoggedActivity.start + .milliseconds(300)])
        let evidence = VerdictEvidence(
            receipts: nil,
            startedAt: LoggedActivity.start,
            generation: 1,
            tokenRegisteredAt: LoggedActivity.start
        )
        let judged = PushVerdict.judge(activity.log.records, with: evidence, at: activity.now)
        #expect(judged.map(\.verdict) == [.cannotTell(.oldRecord)])
    }

    @Test func `a rejection that follows later belongs to its push, with the reason and its status`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(.heroHurt(hero: Seat(rawValue: 1), amount: 3, cause: .bossAttack))
        try activity.completes(.tokenDead, because: .apns(reason: "Unregistered"))
        let push = try #require(RecordedPush.all(in: activity.log.records).first)
        #expect(push.record.result == nil && push.acceptedAt == nil)
        #expect(push.result == .tokenDead(.apns(reason: "Unregistered")) && push.result?.cause?.status == 410)
        #expect(AcceptedPush.all(in: activity.log.records).isEmpty)
        let statuses = ["BadDeviceToken": 400, "InvalidProviderToken": 403, "ServiceUnavailable": 503]
        for (reason, status) in statuses { #expect(DecisionRecord.Cause.apns(reason: reason).status == status) }
        #expect(
            DecisionRecord.Cause.apns(reason: "Moon").status == nil && DecisionRecord.Cause.noResponse.status == nil
        )
    }

    @Test func `a reason that Apple does not document keeps its status`() throws {
        for (reason, status, recorded) in [("Full Moon", 421, 421), ("PayloadTooLarge", 400, 413), ("", 502, 502)] {
            var activity = LoggedActivity()
            activity.registers()
            try activity.completes(.rejected, because: .apns(reason: reason, status: status))
            let log = DecisionLog(encoded: activity.log.encoded)
            #expect(log.records == activity.log.records)
            let push = try #require(RecordedPush.all(in: log.records).last)
            #expect(push.result?.cause?.status == recorded)
        }
    }

    @Test func `of several tries a push has the time of the last one, whose identifier it has, too`() throws {
        var device = ReportingDevice()
        device.pushes(9, .ownTurnAlert, at: 200, afterFailuresAt: [80, 140])
        device.pushes(10, .ownTurnAlert, at: 300)
        let start = ReportingDevice.start
        #expect(device.recorded.map(\.record.at) == [start + .seconds(80), start + .seconds(300)])
        #expect(device.recorded.map(\.sentAt) == [start + .seconds(200), start + .seconds(300)])
    }
}

/// An activity with its pushes, and what its device reports; times are in seconds since its start.
private struct ReportingDevice {
    enum Kind { case ownTurnAlert, smallChanges }

    static let start = Timestamp(epochSeconds: 1_790_000_000)

    var startedAt = Self.start
    var appBuild: String?
    var clockAhead = Duration.zero
    var generation = 1
    var tokenRegisteredAt = Self.start
    private var log = DecisionLog()
    private var receipts: ActivityReceipts?

    var recorded: [RecordedPush] { RecordedPush.all(in: log.records) }

    /// APNs accepts a push 0.1 s after it was sent.
    mutating func pushes(_ sequence: Int, _ kind: Kind, at second: Int, afterFailuresAt failures: [Int] = []) {
        for second in failures {
            send(sequence, kind, at: second)
            let now = Self.start + .seconds(second)
            log.completed(.retryLater(after: .seconds(1)), because: .neverSent, changeAt: now, at: now)
        }
        send(sequence, kind, at: second)
        let now = Self.start + .seconds(second)
        log.completed(.accepted, because: .noResponse, changeAt: now, at: now + .milliseconds(100))
    }

    private mutating func send(_ sequence: Int, _ kind: Kind, at second: Int) {
        let now = Self.start + .seconds(second)
        let push = PlannedPush(
            event: .update(staleDate: now.epochSeconds + 600),
            priority: kind == .ownTurnAlert ? .high : .low,
            alert: nil,
            alertMoments: [],
            timestamp: now.epochSeconds,
            expiration: now.epochSeconds + 600,
            changeAt: now,
            pendingSince: nil,
            coveredEvents: 1,
            notice: nil,
            reason: kind == .ownTurnAlert ? .alert(.ownTurn) : .low
        )
        log.decided(.send(push), with: PushContent(sequence: sequence, generation: generation), at: now)
    }

    mutating func reports(
        shown: [(Int, Int)] = [],
        showing: Int?,
        budget: Int? = nil,
        savesPower: Bool = false,
        offline: ClosedRange<Int>? = nil,
        liveActivitiesOffAt: Int? = nil,
        tokenChangedAt: Int? = nil,
        dismissedAt: Int? = nil,
        endedAt: Int? = nil,
        at second: Int
    ) {
        let ahead = clockAhead
        let clock: (Int) -> Timestamp = { Self.start + .seconds($0) + ahead }
        let report = ReceiptReport(
            sentAt: clock(second),
            device: DeviceConditions(
                liveActivitiesEnabled: liveActivitiesOffAt == nil,
                liveActivitiesChangedAt: liveActivitiesOffAt.map(clock),
                lowPowerMode: savesPower,
                budget: budget.map { BudgetReading(remaining: $0, level: "frequent", at: clock(second)) },
                offline: offline.map { OfflineInterval(from: clock($0.lowerBound), until: clock($0.upperBound)) }
            ),
            activities: [
                ActivityReport(
                    adventureID: AdventureID(rawValue: UUID()),
                    activityID: ActivityID(rawValue: UUID()),
                    shown: shown.map { ShownState(sequence: $0.0, at: clock($0.1)) },
                    showing: showing,
                    endedAt: endedAt.map(clock),
                    dismissedAt: dismissedAt.map(clock),
                    tokenChangedAt: tokenChangedAt.map(clock)
                )
            ]
        )
        _ = ActivityReceipts.merge(
            into: &receipts,
            report,
            of: report.activities[0],
            receivedAt: Self.start + .seconds(second) + .milliseconds(200),
            newestSequence: 100
        )
    }

    func texts(at second: Int) -> [String] {
        let evidence = VerdictEvidence(
            receipts: receipts,
            startedAt: startedAt,
            generation: generation,
            tokenRegisteredAt: tokenRegisteredAt,
            appBuild: appBuild
        )
        return PushVerdict.judge(log.records, with: evidence, at: Self.start + .seconds(second)).map(\.text)
    }
}
