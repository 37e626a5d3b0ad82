import CommandLineSupport
import Foundation
import Testing

@testable import OperatorCommands

@Suite struct AnswerTests {
    private func lines<Shown: Answer>(_ type: Shown.Type, _ json: String, width: Int? = nil) throws -> [String] {
        try JSONDecoder().decode(type, from: Data(json.utf8)).lines(fitting: width)
    }

    @Test func `a boss fight shows whose turn it is and how everybody does`() throws {
        #expect(
            try lines(AdventureAnswer.self, Fixtures.bossFight) == [
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

    @Test func `a journey shows where it is and how it ended`() throws {
        #expect(
            try lines(AdventureAnswer.self, Fixtures.journey).prefix(10) == [
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

    @Test func `in a narrow terminal facts go on below`() throws {
        let lines = try lines(AdventureAnswer.self, Fixtures.bossFight, width: 45)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 45 || $0.hasPrefix("Adv") || $0.hasPrefix("Party") })
        #expect(
            lines[6...7] == ["Turn      13: 🐳 Spouty, until 2026-01-02", "          03:04:05"]
        )
    }

    @Test func `in a narrow terminal health is its numbers, without a bar`() throws {
        #expect(
            try lines(AdventureAnswer.self, Fixtures.bossFight, width: 52).suffix(3) == [
                "SEAT  HERO       LEVEL  HEALTH  POTIONS  STATE", "   0  🐳 Spouty      2  40/40         1",
                "   1  🐸 Hopper      1  0/30          0  down, left",
            ]
        )
    }

    @Test func `a replay that gives the same says so in one line`() throws {
        #expect(
            try lines(ReplayAnswer.self, #"{"events": 64, "identical": true}"#) == [
                "The replay gives the same 64 events and the same state."
            ]
        )
    }

    @Test func `a replay that differs shows both sides`() throws {
        let event = """
            {"events": 64, "identical": false, "difference": {"explanation": "Event 7 is another one in the replay.",
            "storedEvent": {"kind": "heroHurt", "hero": 2, "amount": 7, "cause": "hazard"}}}
            """
        #expect(
            try lines(ReplayAnswer.self, event) == [
                "Event 7 is another one in the replay.",
                "Stored:", "  heroHurt: amount 7, cause hazard, hero 2",
                "Replayed:", "  nothing",
            ]
        )
        let state = """
            {"events": 64, "identical": false, "difference": {"explanation": "The state is not the same.",
            "storedState": "2 journey running\\ntick 9", "replayedState": "2 journey running\\ntick 8"}}
            """
        #expect(
            try lines(ReplayAnswer.self, state) == [
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
                 "lastTimestamp": 1767323045, "settledPosition": 77},
                {"activityID": "a2", "playerID": "p2", "state": "dead", "environment": "sandbox",
                 "frequentPushesEnabled": false, "tokenFingerprint": "deadbeef", "generation": 1,
                 "lastTimestamp": 0, "settledPosition": 0}
            ]}
            """
        #expect(
            try lines(ActivityList.self, json) == [
                "ACTIVITY  PLAYER  STATE  APNS       FREQUENT  LOCALE  TOKEN     NO.  LAST PUSH            SETTLED",
                "a1        p1      live   simulator  yes       ko      0badcafe    2  2026-01-02 03:04:05       77",
                "a2        p2      dead   sandbox    no                deadbeef    1  never                      0",
            ]
        )
    }

    @Test func `in a narrow terminal bosses keep their names`() throws {
        let json =
            #"{"bosses":[{"attack":9,"avatar":"👾","healthPerHero":50,"id":"glitch","name":"Glitchlord","#
            + #""speed":4}]}"#
        #expect(
            try lines(BossList.self, json, width: 50) == [
                "BOSS           glitch", "NAME           👾 Glitchlord", "HEALTH A HERO  50", "ATTACK         9",
                "SPEED          4",
            ]
        )
    }

    @Test func `no activity is said in words`() throws {
        #expect(try lines(ActivityList.self, #"{"activities": []}"#) == ["No Live Activity."])
    }

    @Test(arguments: [(0, 100, 0), (1, 100, 1), (9, 100, 1), (50, 100, 5), (99, 100, 9), (100, 100, 10), (0, 0, 0)])
    func `a bar is full only when health is, and empty only when it is gone`(health: Int, maximum: Int, cells: Int) {
        let bar = String(repeating: "█", count: cells) + String(repeating: "░", count: 10 - cells)
        #expect(HealthBar.text(health, of: maximum) == "\(health)/\(maximum) \(bar)")
    }
}
