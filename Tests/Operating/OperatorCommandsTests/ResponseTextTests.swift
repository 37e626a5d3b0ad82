import CommandLineSupport
import Foundation
import RangersClient
import Testing

@testable import OperatorCommands

@Suite struct ResponseTextTests {
    private func lines<Response: Decodable & HumanReadable>(
        _ type: Response.Type,
        _ json: String,
        width: Int? = nil
    ) throws -> [String] {
        try JSONDecoder.rangersAPI.decode(type, from: Data(json.utf8)).lines(fitting: width)
    }

    @Test func `a boss fight shows the turn and the heroes`() throws {
        #expect(
            try lines(AdventureResponse.self, Fixtures.bossFight) == [
                "Adventure 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11",
                "Party     01981f6e-0000-7000-8000-000000000011",
                "Kind      boss fight",
                "Status    running, tick 12, 31 events",
                "Boss      🐲 Drake 124/200 ██████░░░░, enraged, winding up",
                "Turn      13: 🐳 Spouty, until 2026-01-02 03:04:05",
                "Started   2026-01-02 03:00:00",
                "",
                "SEAT  HERO       LEVEL  HEALTH            POTIONS  STATE",
                "   0  🐳 Spouty      2  40/40 ██████████        1",
                "   1  🐸 Hopper      1  0/30 ░░░░░░░░░░         0  down, left",
            ]
        )
    }

    @Test func `a device shows why it gets no ordinary alerts`() throws {
        func device(_ changes: [String: String] = [:]) throws -> [String] {
            let json = """
                {"devices": [{"deviceID": "5d0c7a14", "environment": "sandbox", "appBuild": "2.1 (47)",
                "liveActivitiesEnabled": true, "frequentPushesEnabled": true, "followsRaids": false,
                "hasPushToStartToken": true,
                "hasAlertToken": true, "hasWidgetToken": true, "alerts": {"muted": []}, "timeZoneKnown": true,
                "registeredAt": "2026-01-02T03:04:05Z", "updatedAt": "2026-01-02T03:04:05Z", "routable": true,
                "sentAlerts": [{"adventureID": "a7", "sequence": 2, "at": "2026-01-02T03:04:06Z"}]}]}
                """
            return try lines(DeviceList.self, changes.reduce(json) { $0.replacing($1.key, with: $1.value) })
        }
        #expect(
            try device() == [
                "Device      5d0c7a14, sandbox, build 2.1 (47), described 2026-01-02 03:04:05",
                "Activities  started by push",
                "Alerts      1 in the last hour, the last one at 2026-01-02 03:04:06 about event 2 of adventure a7",
                "Muted       nothing",
                "Widgets     reloaded by push",
            ]
        )
        let raids = try device([#""followsRaids": false"#: #""followsRaids": true"#])
        #expect(raids[1] == "Activities  started by push, those of raids, too")
        let hours = #""muted": ["boss"], "quietHours": {"from": 1320, "to": 425, "timeZone": "Middle/Earth"}"#
        let muted = try device([#""muted": []"#: hours, #""timeZoneKnown": true"#: #""timeZoneKnown": false"#])
        let ignored = "Middle/Earth, which the server does not know and so ignores"
        #expect(muted[3] == "Muted       boss, from 22:00 to 07:05 in \(ignored)")
        #expect(try device([#""hasAlertToken": true"#: #""hasAlertToken": false"#])[2].contains("none: the app has"))
        #expect(
            try device([#""routable": true"#: #""routable": false"#])[2].hasSuffix("no running node sends to sandbox")
        )
    }

    @Test func `a single event is not in the plural`() throws {
        let first = Fixtures.bossFight.replacing(#""sequence": 31"#, with: #""sequence": 1"#)
        #expect(try lines(AdventureResponse.self, first)[3] == "Status    running, tick 12, 1 event")
    }

    @Test func `a journey shows its location and its outcome`() throws {
        #expect(
            try lines(AdventureResponse.self, Fixtures.journey).prefix(10) == [
                "Adventure 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11",
                "Party     01981f6e-0000-7000-8000-000000000011",
                "Kind      journey",
                "Status    ended (completed), tick 30, 64 events",
                "Region    forest, at glade",
                "Progress  step 30 of 56",
                "Foe       🐝 a cloud of wasps",
                "Started   2026-01-02 03:00:00",
                "Ended     2026-01-02 03:05:00",
                "",
            ]
        )
    }

    @Test func `a narrow terminal wraps facts`() throws {
        let lines = try lines(AdventureResponse.self, Fixtures.bossFight, width: 45)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 45 || $0.hasPrefix("Adv") || $0.hasPrefix("Party") })
        #expect(
            lines[6...7] == ["Turn      13: 🐳 Spouty, until 2026-01-02", "          03:04:05"]
        )
    }

    @Test func `a narrow terminal shows health without bars`() throws {
        #expect(
            try lines(AdventureResponse.self, Fixtures.bossFight, width: 52).suffix(3) == [
                "SEAT  HERO       LEVEL  HEALTH  POTIONS  STATE", "   0  🐳 Spouty      2  40/40         1",
                "   1  🐸 Hopper      1  0/30          0  down, left",
            ]
        )
    }

    @Test func `an identical replay is reported in one line`() throws {
        #expect(
            try lines(ReplayResponse.self, #"{"events": 64, "identical": true}"#) == [
                "The replay gives the same 64 events and the same state."
            ]
        )
    }

    @Test func `a different replay is explained`() throws {
        let json = #"{"identical": false, "difference": "the input after event 7 is refused: hero-down"}"#
        #expect(
            try lines(ReplayResponse.self, json) == [
                "The replay differs: the input after event 7 is refused: hero-down."
            ]
        )
    }

    @Test func `activities are listed without their tokens`() throws {
        let json = """
            {"activities": [
                {"activityID": "a1", "playerID": "p1", "deviceID": "d1", "state": "live", "environment": "simulator",
                 "frequentPushesEnabled": true, "locale": "ko", "tokenFingerprint": "0badcafe", "generation": 2,
                 "lastTimestamp": 1767323045, "acknowledgedAt": "2026-01-02T03:04:06.500Z"},
                {"activityID": "a2", "playerID": "p2", "state": "dead", "environment": "sandbox",
                 "frequentPushesEnabled": false, "tokenFingerprint": "deadbeef", "generation": 1,
                 "lastTimestamp": 0, "acknowledgedAt": "2026-01-02T03:00:00.000Z"}
            ]}
            """
        #expect(
            try lines(ActivityList.self, json) == [
                "ACTIVITY  PLAYER  DEVICE  STATE  APNS       FREQUENT  LOCALE  FINGERPRINT  NO.  LAST PUSH            ACKNOWLEDGED",
                "a1        p1      d1      live   simulator  yes       ko      0badcafe       2  2026-01-02 03:04:05  2026-01-02 03:04:06",
                "a2        p2              dead   sandbox    no                deadbeef       1  never                2026-01-02 03:00:00",
            ]
        )
    }

    @Test func `a narrow terminal shows bosses with whole names`() throws {
        let json =
            #"{"bosses":[{"attack":9,"avatar":"👾","healthPerHero":50,"id":"glitch","name":"Glitchlord","#
            + #""speed":4,"resists":"fire","fears":"water"}]}"#
        #expect(
            try lines(BossList.self, json, width: 50) == [
                "BOSS           glitch", "NAME           👾 Glitchlord", "HEALTH A HERO  50", "ATTACK         9",
                "SPEED          4",
            ]
        )
    }

    @Test func `an empty list of activities is reported in words`() throws {
        #expect(try lines(ActivityList.self, #"{"activities": []}"#) == ["No Live Activities."])
    }

    @Test(arguments: [(0, 100, 0), (1, 100, 1), (9, 100, 1), (50, 100, 5), (99, 100, 9), (100, 100, 10), (0, 0, 0)])
    func `a bar is full only for full health, and empty only for none`(health: Int, maximum: Int, cells: Int) {
        let bar = String(repeating: "█", count: cells) + String(repeating: "░", count: 10 - cells)
        #expect(HealthBar.text(health, of: maximum) == "\(health)/\(maximum) \(bar)")
    }
}
