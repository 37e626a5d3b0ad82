import Foundation
package import GameCore

/// The stored form of alert preferences: JSON, and null if every alert rings.
extension AlertPreferences {
    /// Decodes the stored form.
    package init(stored text: String?) throws {
        self = try text.map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) } ?? Self()
    }

    var stored: String? {
        guard self != Self() else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("numbers and texts cannot be encoded: \(error)")
        }
    }
}
