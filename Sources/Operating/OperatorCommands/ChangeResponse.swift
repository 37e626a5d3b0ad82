import CommandLineSupport

/// The changes that a request made, or would make without `--dry-run`.
struct ChangeResponse: Decodable, HumanReadable {
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
    let startableActivities: Int?

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !changes.isEmpty else { return ["There is nothing to change."] }
        var lines = [dryRun ? "Nothing was changed. The changes would be:" : "Done:"]
        for change in changes {
            let details = FieldChanges.text(from: change.before, to: change.after)
            lines += fact("\(change.action) ", change.target + (details.isEmpty ? "" : " (\(details))"), width)
        }
        if !events.isEmpty { lines += fact("events ", events.map(\.kind).joined(separator: ", "), width) }
        if let activities, activities > 0 {
            lines += fact("phones ", "Live Activities that receive a push: \(activities)", width)
        }
        if let startableActivities, startableActivities > 0 {
            lines += fact("phones ", "members whose phone can start a Live Activity: \(startableActivities)", width)
        }
        return lines
    }

    private func fact(_ label: String, _ text: String, _ width: Int?) -> [String] {
        Paragraph(beginning: "  \(label)", text: text).lines(fitting: width)
    }
}

/// Formats the fields of an object before and after a change.
enum FieldChanges {
    static func text(from before: [String: String]?, to after: [String: String]?) -> String {
        [before.map { "was \(list($0))" }, after.map { "now \(list($0))" }].compactMap(\.self).joined(separator: "; ")
    }

    private static func list(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
