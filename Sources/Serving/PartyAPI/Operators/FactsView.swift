import Foundation

/// Names and texts as a JSON object, in the order of the names.
struct FactsView: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let facts: [String: String]

    init(_ facts: [String: String]) { self.facts = facts }

    /// The facts of an entry of the audit log.
    ///
    /// What somebody has put in their place is shown as it is: it must not hide the other entries.
    init(stored json: String) {
        facts = (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? ["unreadable": json]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, text) in facts.sorted(by: { $0.key < $1.key }) {
            try container.encode(text, forKey: Key(stringValue: name))
        }
    }
}
