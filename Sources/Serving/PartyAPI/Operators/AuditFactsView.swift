import Foundation
import JSONCoding

/// The facts of an audit entry, before or after a change: a JSON object of strings, sorted by name.
struct AuditFactsView: JSONWritable, Encodable {
    private let facts: [String: String]

    init(_ facts: [String: String]) { self.facts = facts }

    /// Decodes the facts of a stored entry.
    ///
    /// Invalid JSON, for example after tampering, is shown as text, so that the other entries remain readable.
    init(stored json: String) {
        facts = (try? JSONDecoder().decode([String: String].self, from: Data(json.utf8))) ?? ["unreadable": json]
    }

    func encode(to encoder: any Encoder) throws { try facts.encode(to: encoder) }

    func write(to json: inout JSONWriter) {
        json.object { json in
            for (name, text) in facts.sorted(by: { $0.key < $1.key }) {
                json.key(escaping: name)
                json.value(text)
            }
        }
    }
}
