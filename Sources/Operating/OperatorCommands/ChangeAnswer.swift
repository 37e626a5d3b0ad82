import CommandLineSupport

/// What an operator's wish comes to, or would come to.
struct ChangeAnswer: Answer {
    struct Change: Decodable {
        let action: String
        let target: String
        let before: [String: String]?
        let after: [String: String]?
    }

    struct Event: Decodable {
        let kind: String
    }

    let dryRun: Bool
    let changes: [Change]
    let events: [Event]
    let activities: Int?
    let startableCards: Int?

    func lines(fitting width: Int?) -> [String] {
        var lines = [dryRun ? "Nothing was changed. This would be:" : "Done:"]
        for change in changes {
            lines += fact("\(change.action) ", change.target + brackets(Facts.text(change.before, change.after)), width)
        }
        if !events.isEmpty { lines += fact("events ", events.map(\.kind).joined(separator: ", "), width) }
        if let activities, activities > 0 {
            lines += fact("phones ", "\(activities) Live Activities follow the adventure, and are told.", width)
        }
        if let startableCards, startableCards > 0 {
            lines += fact("phones ", "\(startableCards) members have one on which a card can be started.", width)
        }
        return lines
    }

    private func brackets(_ text: String) -> String { text.isEmpty ? "" : " (\(text))" }

    private func fact(_ label: String, _ text: String, _ width: Int?) -> [String] {
        Paragraph(beginning: "  \(label)", text: text).lines(fitting: width)
    }
}

/// What was so before a change and is so after it, in a line.
enum Facts {
    static func text(_ before: [String: String]?, _ after: [String: String]?) -> String {
        [before.map { "was \(list($0))" }, after.map { "now \(list($0))" }].compactMap(\.self).joined(separator: "; ")
    }

    /// Names and texts, by name.
    static func list(_ facts: [String: String]) -> String {
        facts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
