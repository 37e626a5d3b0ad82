import APNsClient
import Encodings
import Foundation
import GameCore
import GameLog
import LiveActivityContent
import PushCadence
import PushDispatch
import PushRules
import Testing

@testable import GameStore
@testable import Simulation

/// The checks of ordinary alerts and of pushes to widgets pass on a correct history and find violations in a broken one.
@Suite struct RunHistoryDeviceTests {
    private static let down = AdventureEvent.heroDown(hero: Seat(rawValue: 0))
    private static let other = DeviceReference(playerID: Sample.player, deviceID: DeviceID(rawValue: UUID()))

    /// A history in which a device without an activity has got the alert for the newest event.
    private func alerted(_ device: DeviceReference = other) throws -> Sample {
        var sample = try Sample()
        sample.history.policy = CadencePolicy()
        sample.add(Self.down)
        sample.register(device)
        try sample.alert(device)
        return sample
    }

    @Test func `an alert that is repeated, muted, unclaimed or wrong is found`() throws {
        // The player's activity, of which the sample has no pushes, is of no interest here.
        let findings = try alerted().history.checkAlerts().findings.filter { !$0.contains("did not get the alert") }
        #expect(findings == [])
        func finds(_ phrase: String, _ breakHistory: (inout Sample) throws -> Void) throws {
            var sample = try alerted()
            try breakHistory(&sample)
            #expect(sample.history.checkAlerts().findings.contains { $0.contains(phrase) }, "\(phrase)")
        }
        try finds("more than once") { $0.history.devicePushes += $0.history.devicePushes }
        try finds("without a claim") { $0.history.devices[Self.other]?.record.alertClaims = [] }
        try finds("not that of the event") { $0.history.devicePushes[0].payload = Array(#"{"aps":{}}"#.utf8) }
        try finds("has muted") { sample in
            sample.history.devices[Self.other]?.record.alertClaims = []
            let muted = AlertPreferences(muted: [.danger]).stored
            try sample.claim(Self.other, preferences: muted)
        }
    }

    @Test func `an alert to a device whose activity shows the adventure, and a missing alert, are found`() throws {
        let covered = DeviceReference(playerID: Sample.player, deviceID: DeviceID(rawValue: Sample.player.rawValue))
        #expect(try alerted(covered).history.checkAlerts().findings.contains { $0.contains("shows the adventure") })

        var sample = try alerted()
        sample.history.devicePushes = []
        sample.history.devices[Self.other]?.record.alertClaims = []
        #expect(sample.history.checkAlerts().findings.contains { $0.contains("did not get the ordinary alert") })
        sample.history.faultTimes = [1_000_000]
        let check = sample.history.checkAlerts()
        #expect(check.excused[.lostAlert] == 1)
        #expect(!check.findings.contains { $0.contains("ordinary") })
    }

    @Test func `alerts beyond the budget, and pushes to forgotten tokens, are found`() throws {
        var sample = try alerted()
        for _ in 0..<4 { try sample.claim(Self.other) }
        #expect(sample.history.checkPushes().findings.isEmpty)
        try sample.claim(Self.other)
        #expect(sample.history.checkPushes().findings.contains { $0.contains("more ordinary alerts") })

        sample = try alerted()
        try sample.claim(Self.other, isTokenForgotten: true)
        #expect(sample.history.checkPushes().findings.contains { $0.contains("token was forgotten") })
    }

    @Test func `widgets that are not reloaded after their change are found`() throws {
        func findings(_ sample: Sample) -> [String] {
            sample.history.checkShownStates().findings.filter { $0.contains("widgets") }
        }
        var sample = try Sample()
        sample.register(Self.other)
        sample.history.devices[Self.other]?.livingWidgetToken = [1]
        sample.history.devices[Self.other]?.record.widgetMarks = [20_000_000]
        #expect(findings(sample).count == 1)
        let claim = MemoryTables.DeviceRecord.WidgetClaim(
            committedAt: 21_000_000,
            at: 5,
            next: 6,
            token: [1],
            isTokenForgotten: false
        )
        sample.history.devices[Self.other]?.record.widgetClaims = [claim]
        #expect(findings(sample).count == 1)
        sample.history.faultTimes = [22_000_000]
        #expect(findings(sample).isEmpty)
        sample.history.faultTimes = []
        sample.send(.widgets, "\(Sample.player)/\(Self.other.deviceID)/widgets/5", to: Self.other)
        #expect(findings(sample).isEmpty)
    }
}

extension Sample {
    /// Registers a device with a token for ordinary alerts, before the adventure.
    fileprivate mutating func register(_ device: DeviceReference) {
        var record = MemoryTables.DeviceRecord()
        record.registrations = [.init(committedAt: 0, hasAlertToken: true, preferences: nil)]
        history.devices[device] = RunHistory.DeviceHistory(record: record)
    }

    /// Claims the alert for the newest event.
    fileprivate mutating func claim(
        _ device: DeviceReference,
        preferences: String? = nil,
        isTokenForgotten: Bool = false
    ) throws {
        let event = try #require(adventure?.events.last)
        history.devices[device]?.record.alertClaims.append(
            .init(
                committedAt: (event.at - Self.start).wholeMicroseconds + 1,
                at: event.at.microseconds,
                adventure: id.rawValue,
                sequence: Int64(event.sequence),
                preferences: preferences,
                isTokenForgotten: isTokenForgotten
            )
        )
    }

    /// Claims and sends the alert for the newest event.
    fileprivate mutating func alert(_ device: DeviceReference) throws {
        try claim(device)
        let (event, newest) = (try #require(adventure?.events.last), try #require(adventure?.newest))
        let rule = PushRules.rule(for: event.event, after: newest, receiver: Seat(rawValue: 0))
        let payload = try #require(rule.alert).notification(of: id).encoded()
        let name = "\(id)/\(device.playerID)/\(device.deviceID)/alert/\(event.sequence)"
        send(.alert, name, payload, to: device, at: (event.at - Self.start).wholeMicroseconds + 2)
    }

    fileprivate mutating func send(
        _ type: APNsPush.PushType,
        _ name: String,
        _ payload: [UInt8] = [],
        to device: DeviceReference,
        at moment: Int64 = 22_000_000
    ) {
        var push = PushRecord(
            activity: nil,
            token: "01",
            node: "node",
            id: UUID(named: Array(name.utf8)),
            payload: payload,
            writtenAt: moment,
            outcome: .accepted
        )
        (push.device, push.type) = (device, type)
        history.devicePushes.append(push)
    }
}
