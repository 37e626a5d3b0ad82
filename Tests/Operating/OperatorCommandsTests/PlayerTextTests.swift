import ArgumentParser
import CommandLineSupport
import Foundation
import RangersClient
import Testing

@testable import OperatorCommands

/// Arguments and texts of `rangersctl player`.
@Suite struct PlayerTextTests {
    private static let id = "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11"

    private func lines<Response: Decodable & HumanReadable>(_ type: Response.Type, _ json: String) throws -> [String] {
        try JSONDecoder.rangersAPI.decode(type, from: Data(json.utf8)).lines(fitting: nil)
    }

    private static func player(named name: String, lists: String) -> String {
        """
        {"playerID": "\(id)", "displayName": "\(name)", "hero": {"id": "spouty", "name": "Spouty", "avatar": "🐳", "level": 3},
         "namedInLeaderboards": false, "version": 1, "experience": 90, "bossesDefeated": 1,
         "registeredAt": "2026-01-02T03:04:05.678Z", "tokens": 1, "foundBy": ["name", "device"], \(lists)}
        """
    }

    @Test func `players that are found are a table with what led to them`() throws {
        let player = Self.player(named: "Ada", lists: #""parties": []"#)
        #expect(
            try lines(PlayerSearchResponse.self, #"{"players": [\#(player)], "more": true}"#) == [
                "PLAYER                                NAME  HERO       LEVEL  REGISTERED           FOUND BY",
                "\(Self.id)  Ada   🐳 Spouty      3  2026-01-02 03:04:05  name, device",
                "",
                "There are more: use a longer text, or --limit.",
            ]
        )
        #expect(try lines(PlayerSearchResponse.self, #"{"players": [], "more": false}"#) == ["No players."])
    }

    @Test func `a player is shown with parties, devices and activities`() throws {
        let lists = """
            "devices": [], "activities": [], "parties": [
                {"partyID": "p1", "name": "Foxes", "leaderID": "\(Self.id)", "members": 2, "capacity": 4,
                 "adventureID": "a1", "createdAt": "2026-01-02T03:04:05.678Z"}]
            """
        #expect(
            try lines(PlayerDetailResponse.self, Self.player(named: "Ada", lists: lists)) == [
                "Player      \(Self.id)",
                "Name        Ada, hidden in leaderboards",
                "Hero        🐳 Spouty, level 3",
                "Progress    90 experience, bosses defeated: 1",
                "Registered  2026-01-02 03:04:05",
                "Signed in   1 token",
                "",
                "PARTY  NAME   MEMBERS  ADVENTURE  FOUNDED",
                "p1     Foxes      2/4  a1         2026-01-02",
                "",
                "No devices.",
                "",
                "No Live Activities.",
            ]
        )
    }

    @Test func `a confirmation prints no control characters of a name`() throws {
        let lists = #""devices": [], "activities": [], "parties": []"#
        let json = Self.player(named: #"A\u001b[2Jda"#, lists: lists)
        let player = try JSONDecoder.rangersAPI.decode(PlayerDetailResponse.self, from: Data(json.utf8))
        #expect(player.summary.contains("2Jda") && !player.summary.unicodeScalars.contains("\u{1b}"))
    }

    @Test func `a change without an effect says so`() throws {
        #expect(
            try lines(ChangeResponse.self, #"{"dryRun": false, "changes": [], "events": []}"#)
                == ["There is nothing to change."]
        )
    }

    @Test(
        arguments: [
            ("player find", "Missing expected argument '<text>'"),
            ("player find Ada --limit 0", "--limit must be between 1 and 1000."),
            ("player show Ada", "is invalid for '<player>'"),
            ("player rename \(id) Ada", "Missing expected argument '--reason <text>'"),
            ("player erase \(id)", "Missing expected argument '--reason <text>'"),
            ("player erase \(id) --reason r --yes --dry-run", "--yes and --dry-run exclude each other."),
        ]
    )
    func `invalid arguments are wrong usage`(line: String, expected: String) throws {
        let error = #expect(throws: (any Error).self) {
            try RangersctlCommand.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(RangersctlCommand.exitCode(for: try #require(error)) == .validationFailure)
        #expect(RangersctlCommand.message(for: try #require(error)).contains(expected))
    }
}
