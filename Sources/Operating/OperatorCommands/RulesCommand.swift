import ArgumentParser
import CommandLineSupport
import Foundation
import PushRules

/// `rangersctl rules`: the push rules of this release; needs no server.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Shows the push for each event of the game: recipients, priority, alert and sound.",
        discussion: """
            These are the rules of this release; no server is needed. PRIORITY has two values: with and without frequent \
            pushes. The relevance score decides which of a player's activities is on top.
            """
    )

    @Flag(help: "Print JSON, for scripts.")
    var json = false

    func run() throws {
        if json {
            print(try RulesReport().sortedJSON)
        } else {
            for line in RulesReport().lines(fitting: Terminal.columns) { print(line) }
        }
    }
}

/// The push rules of this release.
struct RulesReport: Encodable, HumanReadable {
    private struct RelevanceRow: Encodable {
        let situation: String
        let score: Double
        let reason: String
    }

    private let rules = PushRules.table
    private let relevance = Relevance.allCases.map {
        RelevanceRow(situation: "\($0)", score: $0.score, reason: $0.reason)
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
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
