import ArgumentParser
import CommandLineSupport
import Foundation
import RangersClient
import TestSupport
import Testing

@testable import OperatorCommands

/// Arguments and texts of `rangersctl raid`.
@Suite struct RaidTextTests {
    private static let raid = """
        {"raidID": "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11", "state": "running",
         "boss": {"id": "cinderwing", "name": "Cinderwing", "avatar": "🐉", "health": 600, "maximumHealth": 1000,
                  "healthLevel": 0.6, "phase": 2},
         "regions": ["peaks", "wastes"], "startsAt": "2026-01-02T03:00:00.000Z", "endsAt": "2026-01-02T05:00:00.000Z",
         "round": 61, "damage": 400, "parties": 3, "waitingFor": [17, 204],
         "biggestBlow": {"damage": 61, "at": "2026-01-02T03:00:44.120Z",
                         "adventureID": "01981f6e-0000-7000-8000-000000000011"}}
        """

    private func decode<Response: Decodable>(_ type: Response.Type, _ json: String) throws -> Response {
        try JSONDecoder.rangersAPI.decode(type, from: Data(json.utf8))
    }

    @Test func `a raid shows the common boss, the round and the shards that it waits for`() throws {
        let raid = try decode(RaidResponse.self, Self.raid)
        #expect(
            raid.lines(fitting: nil) == [
                "Raid      01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11",
                "Boss      🐉 Cinderwing 600/1000 ██████░░░░, enraged, phase 2",
                "State     running, round 61, 3 parties, damage 400",
                "Biggest   61 at 2026-01-02 03:00:44, adventure 01981f6e-0000-7000-8000-000000000011",
                "Regions   peaks, wastes",
                "Starts    2026-01-02 03:00:00",
                "Ends      2026-01-02 05:00:00 at the latest",
                "Waits for shards 17, 204",
            ]
        )
        #expect(raid.summary == "the raid against Cinderwing with 600/1000 health and 3 parties, without a reward")
    }

    @Test func `the page for operators shows what the command prints`() throws {
        let page = try ProjectFiles.text("docs/operating.md")
        let raid = try decode(RaidResponse.self, Self.raid)
        let planned = """
            {"raidID": "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11", "state": "scheduled", "dryRun": true,
             "boss": {"id": "cinderwing", "name": "Cinderwing", "avatar": "🐉", "health": 250000,
                      "maximumHealth": 250000, "healthLevel": 1, "phase": 1},
             "regions": ["meadow", "coast", "forest", "peaks", "wastes"], "startsAt": "2027-01-01T18:00:00.000Z",
             "endsAt": "2027-01-01T20:00:00.000Z", "round": 0, "damage": 0, "parties": 0, "waitingFor": []}
            """
        for text in [raid, try decode(RaidResponse.self, planned)].map({ $0.lines(fitting: nil) }) {
            #expect(page.contains("\n" + text.joined(separator: "\n") + "\n```"))
        }
        #expect(page.contains("Stop \(raid.summary)? [y/N]"))
    }

    @Test func `a dry run says that nothing was changed`() throws {
        let json = Self.raid.replacing(#""round": 61"#, with: #""dryRun": true, "round": 61"#)
        let lines = try decode(RaidResponse.self, json).lines(fitting: nil)
        #expect(lines.first == "Nothing was changed. The raid would be:" && !lines.contains { $0.hasPrefix("Raid ") })
    }

    @Test func `raids are a table`() throws {
        let list = try decode(RaidList.self, #"{"raids": [\#(Self.raid)]}"#)
        let id = "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11"
        #expect(
            list.lines(fitting: nil) == [
                "RAID                                  BOSS           STATE    HEALTH               PHASE  ROUND  PARTIES  WAITS FOR       STARTS",
                "\(id)  🐉 Cinderwing  running  600/1000 ██████░░░░      2     61        3  shards 17, 204  2026-01-02 03:00:00",
            ]
        )
        #expect(try decode(RaidList.self, #"{"raids": []}"#).lines(fitting: nil) == ["No raids."])
    }

    @Test(
        arguments: [
            ("raid start glitch --health 0 --for 2h", "--health must be between 1 and 1000000000000."),
            ("raid start glitch --health -5 --for 2h", "--health must be between 1 and 1000000000000."),
            ("raid start glitch --health 5 --for 8d", "from 10s to 7d, such as 45m or 2h"),
            ("raid start glitch --health 5 --for 9s", "from 10s to 7d, such as 45m or 2h"),
            ("raid start glitch --health 5 --for two", "from 10s to 7d, such as 45m or 2h"),
            ("raid start glitch --health 5 --for 2h --at noon", "use a time in UTC such as 2027-01-01T18:00:00Z"),
            ("raid start glitch --health 5 --for 2h --regions meadow,", "--regions must be names separated by commas"),
            ("raid start glitch --health 5", "Missing expected argument '--for <duration>'"),
            ("raid stop", "Missing expected argument '<id>'"),
        ]
    )
    func `arguments that no raid has are wrong usage`(line: String, expected: String) throws {
        let error = #expect(throws: (any Error).self) {
            try RangersctlCommand.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(RangersctlCommand.exitCode(for: try #require(error)) == .validationFailure)
        #expect(RangersctlCommand.message(for: try #require(error)).contains(expected))
    }

    @Test func `a duration and a start are read as they are written`() throws {
        #expect(
            try ["90s", "45m", "2h", "7d"].map { try RaidDuration(text: $0).seconds } == [90, 2_700, 7_200, 604_800]
        )
        let expected = "2027-01-01T18:00:00.000Z"
        for text in ["2027-01-01T18:00:00Z", "2027-01-01 18:00:00"] {
            #expect(try RaidStart(text: text).text == expected, "\(text)")
        }
    }
}
