import CommandLineSupport
import Foundation
import RangersClient
import Testing

@testable import OperatorCommands

@Suite struct ExplanationTests {
    private static let activity = """
        {"activityID": "0f8fad5b-d9cb-469f-a165-70867728950e", "adventureID": "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11",
         "partyID": "01981f6e-0000-7000-8000-000000000011", "partyName": "The Rangers",
         "playerID": "01981f6e-1111-7000-8000-000000000012", "playerName": "Ada", "heroName": "Spouty",
         "deviceID": "01981f6e-2222-7000-8000-000000000013",
         "heroAvatar": "🐳", "adventureKind": "bossFight", "adventureStatus": "running", "state": "live",
         "environment": "simulator", "frequentPushesEnabled": true, "locale": "ko", "generation": 2,
         "tokenFingerprint": "0badcafe", "registeredAt": "2026-01-02T23:58:00.123Z",
         "tokenRegisteredAt": "2026-01-02T23:59:57.000Z", "lastPushAt": "2026-01-03T00:00:02.000Z",
         "waitReason": "Waiting: turns are coalesced", "waitsUntil": "2026-01-03T00:00:05.000Z"}
        """

    private static let decisions = """
        [{"at": "2026-01-02T23:58:00.150Z", "trigger": "The app registered the activity",
          "action": "Sent at priority 10, accepted", "reason": "the token is new: current state"},
         {"at": "2026-01-02T23:59:58.900Z", "trigger": "Hero down",
          "action": "Alert sent at priority 10 for 2 events, failed (no response from APNs), waiting",
          "reason": "alerts are never demoted", "until": "2026-01-03T00:00:02.000Z"},
         {"at": "2026-01-03T00:00:02.010Z", "trigger": "The push in flight completed", "action": "Last push accepted"},
         {"at": "2026-01-03T00:00:02.020Z", "trigger": "Turn started", "action": "Delayed",
          "reason": "turns are coalesced", "until": "2026-01-03T00:00:05.000Z"}]
        """

    private static let facts = [
        "Activity   0f8fad5b-d9cb-469f-a165-70867728950e",
        "State      live, registered 2026-01-02 23:58:00",
        "Adventure  01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11, boss fight, running",
        "Party      01981f6e-0000-7000-8000-000000000011, The Rangers",
        "Player     01981f6e-1111-7000-8000-000000000012, Ada, plays 🐳 Spouty",
        "Device     01981f6e-2222-7000-8000-000000000013, frequent pushes, ko",
        "Token      fingerprint 0badcafe, number 2, simulator, since 2026-01-02 23:59:57",
        "Last push  2026-01-03 00:00:02",
        "",
    ]
    private static let now = "Now        Waiting: turns are coalesced, until 2026-01-03 00:00:05."

    private func lines<Response: Decodable & HumanReadable>(
        _ type: Response.Type,
        _ json: String,
        width: Int? = nil
    ) throws -> [String] {
        try JSONDecoder.rangersAPI.decode(type, from: Data(json.utf8)).lines(fitting: width)
    }

    private func explanation(_ decisions: String = decisions, width: Int? = nil) throws -> [String] {
        try lines(
            ActivityExplanation.self,
            #"{"activity": \#(Self.activity), "decisions": \#(decisions)}"#,
            width: width
        )
    }

    @Test func `an activity shows its properties and its pending push`() throws {
        #expect(try lines(ActivityDetails.self, Self.activity) == Self.facts + [Self.now])
    }

    @Test func `a requested push and a missing dispatcher are shown`() throws {
        let pending = #"{"position": 7, "event": "end", "requestedAt": "2026-01-03T00:00:03.000Z"}"#
        let json =
            #"{"activity": \#(Self.activity), "decisions": [], "pendingPush": \#(pending), "hasDispatcher": false}"#
        #expect(
            try lines(ActivityExplanation.self, json).suffix(3) == [
                "Requested  An end, by an operator at 2026-01-03 00:00:03 (position 7); not sent yet.",
                Self.now,
                "Sender     None: no dispatcher has the activity's shard. Nothing is sent until one takes it.",
            ]
        )
    }

    @Test func `missing properties of an activity are shown in words`() throws {
        let sparse = """
            {"activityID": "a", "adventureID": "b", "partyID": "c", "playerID": "d", "adventureKind": "journey",
             "adventureStatus": "ended", "state": "dead", "environment": "sandbox", "frequentPushesEnabled": false,
             "generation": 1, "tokenFingerprint": "deadbeef", "registeredAt": "2026-01-02T23:58:00.123Z",
             "tokenRegisteredAt": "2026-01-02T23:58:00.123Z", "waitReason": "No decision has been made for it yet"}
            """
        #expect(
            try lines(ActivityDetails.self, sparse) == [
                "Activity   a",
                "State      dead, registered 2026-01-02 23:58:00",
                "Adventure  b, journey, ended",
                "Party      c, disbanded",
                "Player     d, no longer a member",
                "Device     no frequent pushes",
                "Token      fingerprint deadbeef, number 1, sandbox, since 2026-01-02 23:58:00",
                "Last push  never",
                "",
                "Now        No decision has been made for it yet.",
            ]
        )
    }

    @Test func `decisions are a timeline with a line for each, and headings for days`() throws {
        #expect(
            try explanation() == Self.facts + [
                "2026-01-02, UTC",
                "23:58:00               The app registered the activity. Sent at priority 10, accepted – the token is new: "
                    + "current state.",
                "23:59:58  +1 min 58 s  Hero down. Alert sent at priority 10 for 2 events, failed (no response from APNs), "
                    + "waiting until 2026-01-03 00:00:02 – alerts are never demoted.",
                "2026-01-03, UTC",
                "00:00:02         +4 s  The push in flight completed. Last push accepted.",
                "00:00:02         +0 s  Turn started. Delayed until 00:00:05 – turns are coalesced.",
                "",
                Self.now,
            ]
        )
    }

    @Test func `the verdict on a push follows its decision, and the activity counts them`() throws {
        let decisions = """
            [{"at": "2026-01-02T23:58:00.150Z", "trigger": "Turn started", "action": "Sent at priority 10, accepted",
              "reason": "a turn", "verdict": {"verdict": "budget", "isShown": false,
              "text": "Not shown, probably since the budget of the device was spent"}}]
            """
        let line =
            "23:58:00    Turn started. Sent at priority 10, accepted – a turn. "
            + "Not shown, probably since the budget of the device was spent."
        #expect(try explanation(decisions).contains(line))
        let shown = #"""
            "shown": {"accepted": 9, "shown": 3, "superseded": 1, "notShown": {"budget": 1, "decode": 2}, "undecided": 2,
            "reportedAt": "2026-01-03T00:00:00.000Z"}, "state": "live"
            """#
        let activity = Self.activity.replacing(#""state": "live""#, with: shown)
        let expected =
            "Shown      3 of 9 accepted pushes (2 decode, 1 budget, 1 superseded, 2 undecided), as reported at "
            + "2026-01-03 00:00:00"
        #expect(try lines(ActivityDetails.self, activity).contains(expected))
        let silent = shown.replacing(/,\s+"reportedAt": "[^"]*"/, with: "")
        let other = Self.activity.replacing(#""state": "live""#, with: silent)
        #expect(try lines(ActivityDetails.self, other).contains("Shown      unknown: the device has reported nothing"))
    }

    @Test func `a report for Apple has the pushes in a table`() throws {
        let report = """
            {"activityID": "a", "deviceID": "d", "environment": "production", "topic": "com.example.push-type.liveactivity",
             "pushType": "liveactivity", "token": "80c2f1aa… (80 bytes)", "tokenFingerprint": "0badcafe", "tokenRegisteredAt": "2026-01-02T23:58:00.123Z",
             "registeredAt": "2026-01-02T23:58:00.123Z", "appBuild": "1.4 (213)", "frequentPushesEnabled": true,
             "pushes": [{"apnsID": "6f1c2b3a-4d5e-8f60-9a1b-2c3d4e5f6071", "sentAt": "2026-01-02T23:59:00.000Z",
              "acceptedAt": "2026-01-02T23:59:01.000Z", "timestamp": 1767398340, "expiration": 1767398940, "priority": 10,
              "sequence": 17, "outcome": "accepted", "status": 200, "verdict": "budget"},
             {"apnsID": "6f1c2b3a-4d5e-8f60-9a1b-2c3d4e5f6072", "sentAt": "2026-01-02T23:59:09.000Z",
              "timestamp": 1767398349, "expiration": 1767398949, "priority": 5,
              "sequence": 18, "outcome": "tokenDead", "status": 410, "reason": "Unregistered"}]}
            """
        #expect(
            try lines(ActivityPushReport.self, report) == [
                "Topic      com.example.push-type.liveactivity",
                "Push type  liveactivity",
                "APNs       production",
                "Token      80c2f1aa… (80 bytes), fingerprint 0badcafe, since 2026-01-02 23:58:00",
                "App build  1.4 (213)",
                "Device     frequent pushes",
                "Activity   a, since 2026-01-02 23:58:00",
                "Reported   nothing by the device",
                "",
                "APNS-ID                               SENT, UTC            ACCEPTED   TIMESTAMP  EXPIRATION  PRIORITY  "
                    + "SEQUENCE  OUTCOME    STATUS  REASON        SHOWN  VERDICT",
                "6f1c2b3a-4d5e-8f60-9a1b-2c3d4e5f6071  2026-01-02 23:59:00  23:59:01  1767398340  1767398940        10  "
                    + "      17  accepted      200                       budget",
                "6f1c2b3a-4d5e-8f60-9a1b-2c3d4e5f6072  2026-01-02 23:59:09            1767398349  1767398949         5  "
                    + "      18  tokenDead     410  Unregistered",
            ]
        )
    }

    @Test(arguments: [45, 60, 80, 100])
    func `a terminal wraps lines without losing text`(width: Int) throws {
        let lines = try explanation(width: width)
        // Identifiers are wider than the narrowest terminal.
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(width, 48) })
        let words = lines.joined(separator: " ").split(separator: " ")
        let whole = try explanation().dropFirst(Self.facts.count).joined(separator: " ").split(separator: " ")
        #expect(words.suffix(whole.count) == whole[...])
        #expect(lines.contains { $0.hasPrefix("                       ") && $0.last != " " })
    }

    @Test func `an activity without decisions is reported in words`() throws {
        #expect(
            try explanation("[]") == Self.facts + [
                "No decision is recorded for this activity.",
                "",
                Self.now,
            ]
        )
    }

    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3_599, "59 min 59 s"), (3_660, "1 h 1 min"), (-5, "0 s"),
    ])
    func `intervals have two units`(seconds: Int, text: String) throws {
        let start = Date(timeIntervalSince1970: 1_790_000_000)
        #expect(start.addingTimeInterval(TimeInterval(seconds)).intervalText(since: start) == text)
    }

    @Test func `names cannot steer the terminal`() throws {
        let lines = try explanation(
            #"[{"at": "2026-01-02T23:58:00.150Z", "trigger": "\u001b[2J", "action": "Delayed"}]"#
        )
        #expect(lines.contains { $0.hasSuffix("\u{FFFD}[2J. Delayed.") })
    }

    @Test(arguments: ["yesterday", "", "2026-13-45T99:99:99.000Z"])
    func `a text that is not a date cannot be decoded`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder.rangersAPI.decode(Date.self, from: Data("\"\(text)\"".utf8))
        }
    }
}
