import Foundation

/// JSON as this API writes it: keys sorted, so that the same answer has the same bytes, and on one line.
enum JSON {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            // Only numbers that JSON lacks make an encoder throw; every number here came from JSON, and is finite.
            preconditionFailure("cannot encode \(type(of: value)): \(error)")
        }
    }
}
