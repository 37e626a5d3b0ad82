import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import OperatorCommands

/// All commands in the documentation and the help are valid.
@Suite struct DocumentedCommandTests {
    private static let root = ProjectFiles.root

    /// A command in a page or a help text.
    struct Mention: CustomTestStringConvertible, Sendable {
        let file: String
        let line: String

        var testDescription: String { "\(file): \(line)" }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func pages() throws -> [String] {
        let docs = try FileManager.default.subpathsOfDirectory(
            atPath: root.appending(path: "docs").path(percentEncoded: false)
        )
        return ["README.md", "SECURITY.md", "CONTRIBUTING.md"]
            + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }

    /// Returns the commands between backticks, and those in code blocks up to the end of their lines.
    private static func commands(in text: String) -> [String] {
        var found: [String] = []
        for (index, part) in text.components(separatedBy: "```").enumerated() {
            if index.isMultiple(of: 2) {
                found += part.matches(of: /`(rangersctl\s[^`]+)`/).map {
                    String($0.output.1).replacing("\n", with: " ")
                }
            } else {
                found += part.replacing("\\\n", with: " ").split(separator: "\n").compactMap { line in
                    line.firstMatch(of: /(?:^|\| |kubectl [^\n]* -- )(rangersctl .+)$/).map { String($0.output.1) }
                }
            }
        }
        return found
    }

    private static func documented() throws -> [Mention] {
        try pages().flatMap { page in try commands(in: text(page)).map { Mention(file: page, line: $0) } }
    }

    /// Returns the examples in the help of a command and its subcommands.
    private static func examples(of command: any ParsableCommand.Type = RangersctlCommand.self) -> [Mention] {
        let discussion = command.configuration.discussion.replacing("\\\n", with: " ")
        return discussion.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^  (?:.*\| )?(rangersctl .+)$/).map {
                Mention(file: command._commandName, line: String($0.output.1))
            }
        } + command.configuration.subcommands.flatMap { examples(of: $0) }
    }

    /// Returns the arguments as a shell would split them, up to a comment, pipe or redirection.
    private static func words(of line: String) -> [String] {
        let command = line.prefix { !"#|<>;&".contains($0) }
        return command.matches(of: /"[^"]*"|'[^']*'|\S+/).dropFirst().map { match in
            let word = match.output.trimmingCharacters(in: ["\"", "'"])
            // A placeholder for an identifier.
            return word == "ID" || word.hasSuffix("…") ? "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11" : word
        }
    }

    /// Returns whether the words are a command without arguments, as prose mentions it.
    private static func isCommand(_ words: [String]) -> Bool {
        var command: any ParsableCommand.Type = RangersctlCommand.self
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return false
            }
            command = next
        }
        return command.configuration.subcommands.isEmpty
    }

    private static func parseError(of mention: Mention) -> String? {
        let words = words(of: mention.line)
        if isCommand(words) { return nil }
        do {
            _ = try RangersctlCommand.parseAsRoot(words)
            return nil
        } catch {
            // ArgumentParser also throws for --help and --version.
            return RangersctlCommand.exitCode(for: error) == .success ? nil : RangersctlCommand.message(for: error)
        }
    }

    @Test func `every command in the documentation can be parsed`() throws {
        let mentions = try Self.documented()
        #expect(mentions.count > 25)
        for mention in mentions {
            #expect(Self.parseError(of: mention) == nil, "\(mention.testDescription)")
        }
    }

    @Test func `every example in the help can be parsed`() {
        let examples = Self.examples()
        #expect(examples.count > 25)
        for example in examples {
            #expect(Self.parseError(of: example) == nil, "\(example.testDescription)")
        }
    }

    @Test func `every command in the runbooks exists`() throws {
        let text = try Self.text("deploy/prometheus/alerts.yaml").replacing(/\s+/, with: " ")
        let named = text.matches(of: /rangersctl (\w+)(?: (\w+))?/).map { match in
            [match.output.1, match.output.2].compactMap { $0.map(String.init) }
        }
        #expect(!named.isEmpty)
        for words in named {
            #expect(Self.isCommand(words) || Self.isCommand([words[0]]), "rangersctl \(words.joined(separator: " "))")
        }
    }

    @Test func `invalid commands are detected`() {
        let text =
            "Say `rangersctl boss dance`, `rangersctl party list`, or:\n```sh\nrangersctl stats --wach # now\n```\n"
        let isInvalid = Self.commands(in: text).map { Self.parseError(of: Mention(file: "", line: $0)) != nil }
        #expect(isInvalid == [true, false, true])
    }

    @Test func `help texts have no line breaks within sentences`() {
        func visit(_ command: any ParsableCommand.Type) {
            // An empty line separates paragraphs, and examples are indented.
            let broken = command.configuration.discussion.firstMatch(of: /(?m)^\S.*[^:\n]\n\S.*$/)
            #expect(broken == nil, "\(command._commandName): \(broken?.output ?? "")")
            command.configuration.subcommands.forEach(visit)
        }
        visit(RangersctlCommand.self)
    }
}
