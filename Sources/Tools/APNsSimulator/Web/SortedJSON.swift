import Foundation

/// The API's JSON: with sorted keys, so that equal responses have equal bytes, and on one line.
enum SortedJSON {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            // Encoding fails only for non-finite numbers; all numbers here were decoded from JSON.
            preconditionFailure("cannot encode \(type(of: value)): \(error)")
        }
    }
}
