import ArgumentParser
import CommandLineSupport
import Foundation
import PushRules

/// `rangersctl rules`: what each event pushes; needs no server, since this very release is asked.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Shows what every event of the game pushes to whom, and how loud.",
        discussion: """
            The rules are this release's; no server is asked. PRIORITY is that of phones with frequent pushes and \
            that of the others. Which of a player's activities is on top, the relevance tells.
            """
    )

    @Flag(help: "Print JSON, for scripts.")
    var json = false

    func run() throws {
        if json {
            print(try RulesReport().json)
        } else {
            for line in RulesReport().lines(fitting: Terminal.columns) { print(line) }
        }
    }
}

/// The rules of this release.
struct RulesReport: Encodable {
    private struct RelevanceRow: Encodable {
        let situation: String
        let score: Double
        let reason: String
    }

    private let rules = PushRules.table
    private let relevance = Relevance.allCases.map {
        RelevanceRow(situation: "\($0)", score: $0.score, reason: $0.reason)
    }

    /// One object: `{relevance, rules}`.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    func lines(fitting width: Int?) -> [String] {
        let events = Table(
            [
                .whole("EVENT"), .init("PHONE"), .whole("PRIORITY"), .init("ALERT"), .init("SOUND"), .init("FRESH"),
                .sentences("WHY", least: 16),
            ],
            rows: rules.map { rule in
                [
                    rule.event, rule.phone, "\(rule.frequentPriority) / \(rule.standardPriority)", rule.alert ?? "",
                    rule.sound ?? "", rule.freshness ?? "", rule.reason,
                ]
            }
        )
        let scores = Table(
            [.whole("RELEVANCE"), .init("SCORE", isNumber: true), .whole("WHY")],
            rows: relevance.map { [$0.situation, "\(Int($0.score))", $0.reason] }
        )
        return events.lines(fitting: width) + [""] + scores.lines(fitting: width)
    }
}
