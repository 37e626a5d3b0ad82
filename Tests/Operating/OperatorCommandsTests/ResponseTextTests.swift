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

    @Test func `a different replay shows both sides`() throws {
        let event = """
            {"events": 64, "identical": false, "difference": {"explanation": "Event 7 is another one in the replay.",
            "storedEvent": {"kind": "heroHurt", "hero": 2, "amount": 7, "cause": "hazard"}}}
            """
        #expect(
            try lines(ReplayResponse.self, event) == [
                "Event 7 is another one in the replay.",
                "Stored:", "  heroHurt: amount 7, cause hazard, hero 2",
                "Replayed:", "  nothing",
            ]
        )
        var named = try JSONDecoder.rangersAPI.decode(
            ReplayResponse.self,
            from: Data(event.replacing(#""hero": 2"#, with: #""hero": 1, "helper": 0"#).utf8)
        )
        #expect(named.needsNames)
        named.names = HeroNames(
            of: try JSONDecoder.rangersAPI.decode(
                AdventureResponse.self,
                from: Data(Fixtures.bossFight.replacing("Hopper", with: "Spouty").utf8)
            )
        )
        // Two heroes have the same name.
        let text = "  heroHurt: amount 7, cause hazard, helper 🐳 Spouty (seat 0), hero 🐸 Spouty (seat 1)"
        #expect(named.lines(fitting: nil)[2] == text)
        let state = """
            {"events": 64, "identical": false, "difference": {"explanation": "The state is not the same.",
            "storedState": "2 journey running\\ntick 9", "replayedState": "2 journey running\\ntick 8"}}
            """
        #expect(
            try lines(ReplayResponse.self, state) == [
                "The state is not the same.",
                "Stored:", "  2 journey running", "  tick 9",
                "Replayed:", "  2 journey running", "  tick 8",
            ]
        )
    }

    @Test func `activities are listed without their tokens`() throws {
        let json = """
            {"activities": [
                {"activityID": "a1", "playerID": "p1", "state": "live", "environment": "simulator",
                 "frequentPushesEnabled": true, "locale": "ko", "tokenFingerprint": "0badcafe", "generation": 2,
                 "lastTimestamp": 1767323045, "acknowledgedPosition": 77},
                {"activityID": "a2", "playerID": "p2", "state": "dead", "environment": "sandbox",
                 "frequentPushesEnabled": false, "tokenFingerprint": "deadbeef", "generation": 1,
                 "lastTimestamp": 0, "acknowledgedPosition": 0}
            ]}
            """
        #expect(
            try lines(ActivityList.self, json) == [
                "ACTIVITY  PLAYER  STATE  APNS       FREQUENT  LOCALE  TOKEN     NO.  LAST PUSH            ACKNOWLEDGED",
                "a1        p1      live   simulator  yes       ko      0badcafe    2  2026-01-02 03:04:05            77",
                "a2        p2      dead   sandbox    no                deadbeef    1  never                           0",
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
