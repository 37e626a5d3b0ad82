import ArgumentParser
import Testing

@testable import OperatorCommands

/// Options that stand before the verb.
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
            ("boss help", "boss help"), ("boss --bogus", "boss --bogus"),
        ]
    )
    func `what every verb takes goes behind it`(line: String, expected: String) throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(try CommonOptions.behindTheVerb(words).joined(separator: " ") == expected)
    }

    @Test func `they are parsed there`() throws {
        let words = try CommonOptions.behindTheVerb(["--server", "http://a", "--json", "stats"])
        let command = try #require(try RangersctlCommand.parseAsRoot(words) as? StatsCommand)
        #expect(command.options.server == "http://a" && command.options.json)
    }

    @Test(
        arguments: [
            ("--server http://a", "'adventure',"), ("--json", "'stats',"), ("--json --json", "or 'doctor'."),
            ("--json boss --server=http://a", "options: 'boss list' or 'boss start'."),
        ]
    )
    func `options without a verb are answered with the verbs`(line: String, said: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: ValidationError.self) { try CommonOptions.behindTheVerb(words) }
        let message = RangersctlCommand.message(for: try #require(error))
        #expect(message.hasPrefix("Say what to do") && message.contains(said))
        #expect(RangersctlCommand.exitCode(for: try #require(error)) == .validationFailure)
    }

    @Test(
        arguments: [
            ("bos list", "There is no 'bos'. Did you mean 'boss'?"),
            ("--server http://a Adventre show x", "There is no 'Adventre'. Did you mean 'adventure'?"),
            ("boss lst", "There is no 'boss lst'. Did you mean 'boss list'?"),
            ("--json boss bogus", "There is no 'boss bogus', but 'boss list' or 'boss start'."),
            ("--server", "--server lacks its value. Say what to do, besides the options: 'boss', "),
            ("--json --token-file", "--token-file lacks its value. Say what to do, besides the options: 'boss', "),
            (
                "boss --timeout --json",
                "--timeout lacks its value. Say what to do, besides the options: 'boss list' or "
            ),
        ]
    )
    func `a word that is no verb, and an option without its value, are answered with what may be meant`(
        line: String,
        said: String
    ) throws {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: ValidationError.self) { try CommonOptions.behindTheVerb(words) }
        let message = RangersctlCommand.message(for: try #require(error))
        #expect(message.hasPrefix(said), "\(message)")
        #expect(RangersctlCommand.exitCode(for: try #require(error)) == .validationFailure)
    }

    @Test func `a word that is like none is taken for none`() {
        let words = ["boss", "stats", "adventure", "party"]
        #expect(NearestWord.to("boss", among: words) == "boss" && NearestWord.to("sttas", among: words) == "stats")
        #expect(
            NearestWord.to("prty", among: words) == "party" && NearestWord.to("adventures", among: words) == "adventure"
        )
        for word in ["x", "", "doctor", "bogus", "bust", "avenue"] {
            #expect(NearestWord.to(word, among: words) == nil)
        }
    }

    @Test(arguments: ["--server stats", "boss --server list", "--server --json stats"])
    func `an option without its value is said to be one`(line: String) throws {
        let words = try CommonOptions.behindTheVerb(line.split(separator: " ").map(String.init))
        let error = #expect(throws: (any Error).self) { try RangersctlCommand.parseAsRoot(words) }
        #expect(RangersctlCommand.message(for: try #require(error)).contains("Missing value for '--server <url>'"))
    }
}
