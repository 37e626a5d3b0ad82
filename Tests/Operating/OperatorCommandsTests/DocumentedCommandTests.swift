import ArgumentParser
import Foundation
import Testing

@testable import OperatorCommands

/// Whatever the documentation says to type can be typed.
@Suite struct DocumentedCommandTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    /// A command in a text.
    struct Mention: CustomTestStringConvertible, Sendable {
        let file: String
        let line: String

        var testDescription: String { "\(file): \(line)" }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func pages() throws -> [String] {
        let docs = try FileManager.default.contentsOfDirectory(
            atPath: root.appending(path: "docs").path(percentEncoded: false)
        )
        return ["README.md", "SECURITY.md", "CONTRIBUTING.md"]
            + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }

    /// Commands in code: between backticks, and in blocks of code from where they stand to the end of the line.
    private static func commands(in text: String) -> [String] {
        var found: [String] = []
        for (index, part) in text.components(separatedBy: "```").enumerated() {
            if index.isMultiple(of: 2) {
                found += part.matches(of: /`(rangersctl [^`]+)`/).map { String($0.output.1) }
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

    /// The examples of the help of all commands.
    private static func examples(of command: any ParsableCommand.Type = RangersctlCommand.self) -> [Mention] {
        let discussion = command.configuration.discussion.replacing("\\\n", with: " ")
        return discussion.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^  (?:.*\| )?(rangersctl .+)$/).map {
                Mention(file: command._commandName, line: String($0.output.1))
            }
        } + command.configuration.subcommands.flatMap { examples(of: $0) }
    }

    /// The words as a shell would part them, up to where it would do something else.
    private static func words(of line: String) -> [String] {
        let command = line.prefix { !"#|<>;&".contains($0) }
        return command.split(separator: " ").dropFirst().map { word in
            let word = word.trimmingCharacters(in: ["\"", "'"])
            // What stands for an identifier.
            return word == "ID" || word.hasSuffix("…") ? "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11" : word
        }
    }

    /// Whether the words are a verb and nothing more: a text that speaks of it names no identifiers.
    private static func isVerb(_ words: [String]) -> Bool {
        var command: any ParsableCommand.Type = RangersctlCommand.self
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return false
            }
            command = next
        }
        return command.configuration.subcommands.isEmpty
    }

    private static func fault(in mention: Mention) -> String? {
        let words = words(of: mention.line)
        if isVerb(words) { return nil }
        do {
            _ = try RangersctlCommand.parseAsRoot(words)
            return nil
        } catch {
            // Help, versions and completions are thrown as well.
            return RangersctlCommand.exitCode(for: error) == .success ? nil : RangersctlCommand.message(for: error)
        }
    }

    @Test func `every command of the documentation parses`() throws {
        let mentions = try Self.documented()
        #expect(mentions.count > 25)
        for mention in mentions {
            #expect(Self.fault(in: mention) == nil, "\(mention.testDescription)")
        }
    }

    @Test func `every example of the help parses`() {
        let examples = Self.examples()
        #expect(examples.count > 25)
        for example in examples {
            #expect(Self.fault(in: example) == nil, "\(example.testDescription)")
        }
    }

    @Test func `every verb that a runbook names is there`() throws {
        let text = try Self.text("deploy/prometheus/alerts.yaml").replacing(/\s+/, with: " ")
        let named = text.matches(of: /rangersctl (\w+)(?: (\w+))?/).map { match in
            [match.output.1, match.output.2].compactMap { $0.map(String.init) }
        }
        #expect(!named.isEmpty)
        for words in named {
            #expect(Self.isVerb(words) || Self.isVerb([words[0]]), "rangersctl \(words.joined(separator: " "))")
        }
    }

    @Test func `what cannot be typed is found`() {
        let text =
            "Say `rangersctl boss dance`, `rangersctl party list`, or:\n```sh\nrangersctl stats --wach # now\n```\n"
        let faults = Self.commands(in: text).map { Self.fault(in: Mention(file: "", line: $0)) != nil }
        #expect(faults == [true, false, true])
    }

    @Test func `sentences of the help are not broken in the middle`() {
        func visit(_ command: any ParsableCommand.Type) {
            // Between two lines of prose there is an empty one; examples are indented, and lists are none of ours.
            let broken = command.configuration.discussion.firstMatch(of: /(?m)^\S.*[^:\n]\n\S.*$/)
            #expect(broken == nil, "\(command._commandName): \(broken?.output ?? "")")
            command.configuration.subcommands.forEach(visit)
        }
        visit(RangersctlCommand.self)
    }
}
