import CommandLineSupport
import Foundation
import PushRules
import TestSupport
import Testing

@testable import OperatorCommands

@Suite struct RulesTests {
    @Test func `the tables have a line for each rule and for each relevance`() {
        let lines = RulesReport().lines(fitting: nil)
        #expect(lines.count == 1 + PushRules.table.count + 1 + 1 + Relevance.allCases.count)
        #expect(lines.contains { $0.hasPrefix("heroDown ") && $0.contains("You are down!") && $0.contains("10 / 10") })
        #expect(lines.contains { $0.hasPrefix("ownTurn ") && $0.contains(" 90  ") })
    }

    @Test func `a narrow terminal truncates lines`() {
        #expect(RulesReport().lines(fitting: 80).allSatisfy { DisplayWidth.of($0) <= 80 })
    }

    @Test func `a narrower terminal shows rows as paragraphs without truncation`() {
        let lines = RulesReport().lines(fitting: 50)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 50 && !$0.contains("…") })
        #expect(lines.contains("EVENT     heroHurt") && lines.contains("PRIORITY  10 / 10"))
        #expect(lines.contains("ALERT     You are down!"))
    }

    @Test func `the JSON is one object`() throws {
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(RulesReport().sortedJSON.utf8)) as? [String: Any]
        )
        #expect((object["rules"] as? [[String: Any]])?.count == PushRules.table.count)
        #expect((object["relevance"] as? [[String: Any]])?.count == Relevance.allCases.count)
    }

    @Test func `the documentation contains the table of the rules`() throws {
        let file = ProjectFiles.root.appending(path: "docs/pushes.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        for rule in PushRules.table {
            let alert = rule.alert.map { "“\($0)”, `\(rule.sound ?? "")`" } ?? ""
            let row =
                "| `\(rule.event)` | \(rule.phone) | \(rule.frequentPriority) / \(rule.standardPriority) | \(alert) "
                + "| \(rule.freshness ?? "") | \(rule.reason) |\n"
            #expect(page.contains(row), "\(row)")
        }
    }
}
