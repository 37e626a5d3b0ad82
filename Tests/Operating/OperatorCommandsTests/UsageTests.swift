import ArgumentParser
import Testing

@testable import OperatorCommands

/// Valid and invalid command lines.
@Suite struct UsageTests {
    private static let id = "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11"

    @Test(
        arguments: [
            "boss start glitch --invite-code ABCD2345 --rate 5", "boss start glitch --all-idle --campaign A_b",
            "boss start glitch --all-idle --idempotency-key a", "boss start glitch \(id) --idempotency-key é",
            "stats --every 5", "adventure show \(id) --every 5", "adventure events \(id) --after -1",
            "audit list --limit 1000000", "audit list --since 7w", "activity list \(id) --limit 5",
            "activity list --party \(id) --limit 0", "push test --idempotency-key a",
        ]
    )
    func `options that would be ignored or are out of range are wrong usage`(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: (any Error).self) { try RangersctlCommand.parseAsRoot(words) }
        #expect(RangersctlCommand.exitCode(for: try #require(error)) == .validationFailure)
    }

    @Test(
        arguments: [
            ("boss start glitch --all-idle --rate -5", "--rate must be between 1 and 10000."),
            ("party list --limit -1", "--limit must be between 1 and 100000."),
            ("audit list --limit -1", "--limit must be between 1 and 1000."),
            ("activity list --player \(id) --limit -1", "--limit must be between 1 and 1000."),
            ("adventure events \(id) --after -1", "--after must be between 0 and 2147483647."),
            ("stats --watch --every -1", "--every must be between 1 and 3600 seconds."),
            ("--timeout -1 stats", "--timeout must be between 1 and 3600 seconds."),
            ("push test --priority -5", "--priority must be 5 or 10."),
            ("stats --timeout soon", "The value 'soon' is invalid for '--timeout <seconds>'"),
        ]
    )
    func `a number out of range is an error with the range`(line: String, expected: String) throws {
        let words = try CommonOptions.movedBehindCommand(line.split(separator: " ").map(String.init))
        let error = #expect(throws: (any Error).self) { try RangersctlCommand.parseAsRoot(words) }
        #expect(RangersctlCommand.message(for: try #require(error)).contains(expected))
    }

    @Test(
        arguments: [
            (
                "boss start glitch \(id) --invite-code ABCD2345",
                "Specify a party by its identifier or --invite-code, not both."
            ),
            ("boss start glitch \(id) --all-idle", "Specify a single party or --all-idle, not both."),
            ("boss start glitch --invite-code ABCD2345 --all-idle", "Specify a single party or --all-idle, not both."),
            ("boss start glitch", "Specify a party by its identifier or --invite-code, or specify --all-idle."),
            ("party show \(id) --invite-code A", "Specify a party by its identifier or --invite-code, not both."),
            ("party show", "Specify a party by its identifier or --invite-code."),
        ]
    )
    func `a command for a party says whether the party is missing or ambiguous`(line: String, expected: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: (any Error).self) { try RangersctlCommand.parseAsRoot(words) }
        #expect(RangersctlCommand.message(for: try #require(error)).contains(expected))
    }

    @Test(
        arguments: [
            "boss start glitch \(id) --yes", "boss start glitch --invite-code ABCD2345 -y",
            "boss start glitch --all-idle --yes",
        ]
    )
    func `a script may always decline the confirmation of a boss fight`(line: String) throws {
        _ = try RangersctlCommand.parseAsRoot(line.split(separator: " ").map(String.init))
    }

    @Test func `a name that begins with a hyphen is a value`() throws {
        let parties = try RangersctlCommand.parseAsRoot(["party", "list", "--name", "-x", "--limit", "5"])
        let list = try #require(parties as? PartyCommand.List)
        #expect(list.name == "-x" && list.limit == 5)
        let changes = try RangersctlCommand.parseAsRoot(["audit", "list", "--operator", "-x"])
        #expect(try #require(changes as? AuditCommand.List).author == "-x")
        let error = #expect(throws: (any Error).self) {
            try RangersctlCommand.parseAsRoot(["boss", "start", "glitch", "--all-idle", "--campaign", "-x"])
        }
        #expect(RangersctlCommand.message(for: try #require(error)).contains("--campaign must have 1 to 64"))
    }

    @Test(arguments: ["2w", "-1d"])
    func `a malformed time is an error with the valid units`(time: String) throws {
        let error = #expect(throws: (any Error).self) {
            try RangersctlCommand.parseAsRoot(["audit", "list", "--since", time])
        }
        let message = RangersctlCommand.fullMessage(for: try #require(error))
        #expect(message.contains("seconds, minutes, hours or days"))
    }
}
