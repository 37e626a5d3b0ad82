import ArgumentParser
import Testing

@testable import OperatorCommands

/// Common options that precede a command.
@Suite struct CommonOptionsTests {
    @Test(
        arguments: [
            ("--server http://a stats --watch", "stats --watch --server http://a"),
            ("--json --server=http://a --timeout 5 boss list", "boss list --json --server=http://a --timeout 5"),
            ("stats --server http://a", "stats --server http://a"), ("--help", "--help"), ("", ""),
            ("--json party show -- x", "party show --json -- x"),
            ("--version --json", "--version --json"),
            ("boss --server http://a list", "boss list --server http://a"),
            ("--json boss --timeout 5 start x --yes", "boss start x --yes --json --timeout 5"),
            ("--server stats", "stats --server"), ("--server --json stats", "stats --server --json"),
            ("boss --server list --json", "boss list --json --server"), ("--json help boss", "help boss"),
            ("boss help", "boss help"), ("boss --bogus", "boss --bogus"), ("help", "help"),
            ("help boss start", "help boss start"), ("boss help list", "boss help list"),
            ("help -h help", "help -h help"),
        ]
    )
    func `common options move behind the command`(line: String, expected: String) throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(try CommonOptions.movedBehindCommand(words).joined(separator: " ") == expected)
    }

    @Test func `moved options are parsed`() throws {
        let words = try CommonOptions.movedBehindCommand(["--server", "http://a", "--json", "stats"])
        let command = try #require(try RangersctlCommand.parseAsRoot(words) as? StatsCommand)
        #expect(command.options.server == "http://a" && command.options.json)
    }

    @Test(
        arguments: [
            ("--server http://a", "'adventure',"), ("--json", "'stats',"), ("--json --json", "or 'doctor'."),
            ("--json boss --server=http://a", "command: 'boss list' or 'boss start'."),
        ]
    )
    func `common options without a command are an error with the commands`(line: String, expected: String)
        throws
    {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: ValidationError.self) { try CommonOptions.movedBehindCommand(words) }
        let message = RangersctlCommand.message(for: try #require(error))
        #expect(message.hasPrefix("Specify a command") && message.contains(expected))
        #expect(RangersctlCommand.exitCode(for: try #require(error)) == .validationFailure)
    }

    @Test(
        arguments: [
            ("bos list", "Unknown command 'bos'. Did you mean 'boss'?"),
            ("--server http://a Adventre show x", "Unknown command 'Adventre'. Did you mean 'adventure'?"),
            ("boss lst", "Unknown command 'boss lst'. Did you mean 'boss list'?"),
            ("--json boss bogus", "Unknown command 'boss bogus'. The commands are 'boss list' or 'boss start'."),
            ("help nosuch", "Unknown command 'nosuch'. The commands are 'boss', "),
            ("boss help lst", "Unknown command 'boss lst'. Did you mean 'boss list'?"),
            ("help boss list x", "Unknown command 'boss list x': 'boss list' has no subcommands."),
            ("--server", "--server requires a value. Specify a command: 'boss', "),
            ("--json --token-file", "--token-file requires a value. Specify a command: 'boss', "),
            (
                "boss --timeout --json",
                "--timeout requires a value. Specify a command: 'boss list' or "
            ),
        ]
    )
    func `an unknown command and an option without a value are errors with a suggestion`(
        line: String,
        expected: String
    ) throws {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: ValidationError.self) { try CommonOptions.movedBehindCommand(words) }
        let message = RangersctlCommand.message(for: try #require(error))
        #expect(message.hasPrefix(expected), "\(message)")
        #expect(RangersctlCommand.exitCode(for: try #require(error)) == .validationFailure)
    }

    @Test func `only a similar word gets a suggestion`() {
        let words = ["boss", "stats", "adventure", "party"]
        #expect(
            CommandSuggestion.nearest(to: "boss", among: words) == "boss"
                && CommandSuggestion.nearest(to: "sttas", among: words) == "stats"
        )
        #expect(
            CommandSuggestion.nearest(to: "prty", among: words) == "party"
                && CommandSuggestion.nearest(to: "adventures", among: words) == "adventure"
        )
        for word in ["x", "", "doctor", "bogus", "bust", "avenue"] {
            #expect(CommandSuggestion.nearest(to: word, among: words) == nil)
        }
    }

    @Test(arguments: ["--server stats", "boss --server list", "--server --json stats"])
    func `an option without a value is reported by the parser`(line: String) throws {
        let words = try CommonOptions.movedBehindCommand(line.split(separator: " ").map(String.init))
        let error = #expect(throws: (any Error).self) { try RangersctlCommand.parseAsRoot(words) }
        #expect(RangersctlCommand.message(for: try #require(error)).contains("Missing value for '--server <url>'"))
    }
}
