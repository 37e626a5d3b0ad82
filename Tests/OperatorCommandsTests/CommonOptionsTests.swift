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
            ("--token-file", "--token-file"), ("--json party show -- x", "party show --json -- x"),
            ("--version --json", "--version --json"),
        ]
    )
    func `what every verb takes goes behind it`(line: String, expected: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(CommonOptions.behindTheVerb(words).joined(separator: " ") == expected)
    }

    @Test func `they are parsed there`() throws {
        let words = CommonOptions.behindTheVerb(["--server", "http://a", "--json", "stats"])
        let command = try #require(try RangersctlCommand.parseAsRoot(words) as? StatsCommand)
        #expect(command.options.server == "http://a" && command.options.json)
    }
}
