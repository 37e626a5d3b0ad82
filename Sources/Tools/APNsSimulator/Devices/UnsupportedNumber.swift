import Foundation

/// Finds the first number in valid JSON that no field accepts.
///
/// `JSONDecoder` reports a fraction in place of an integer, and a number that is too large, only as invalid JSON.
struct UnsupportedNumber: Decodable {
    /// All fields that accept fractions.
    private static let fractions: Set = ["currentHealthLevel", "healthLevel", "probability", "relevance-score"]

    /// The location of the number and the reason why it is not accepted; nil without such a number.
    let context: DecodingError.Context?

    /// Returns the location of the number; nil without such a number, and for invalid JSON.
    static func context(in bytes: [UInt8]) -> DecodingError.Context? {
        (try? JSONDecoder().decode(Self.self, from: Data(bytes)))?.context
    }

    init(from decoder: any Decoder) throws {
        // A failure means that the value has another type.
        if let object = try? decoder.container(keyedBy: AnyField.self) {
            context = try object.allKeys.sorted { $0.stringValue < $1.stringValue }.lazy
                .compactMap { try object.decode(Self.self, forKey: $0).context }.first
        } else if var array = try? decoder.unkeyedContainer() {
            var elements: [Self] = []
            while !array.isAtEnd { elements.append(try array.decode(Self.self)) }
            context = elements.lazy.compactMap(\.context).first
        } else {
            context = Self.reason(in: try decoder.singleValueContainer(), of: decoder.codingPath.last)
                .map { DecodingError.Context(codingPath: decoder.codingPath, debugDescription: $0) }
        }
    }

    private static func reason(in value: any SingleValueDecodingContainer, of key: (any CodingKey)?) -> String? {
        if value.decodeNil() { return nil }
        // A failure means that the value has another type.
        if (try? value.decode(String.self)) != nil || (try? value.decode(Bool.self)) != nil { return nil }
        guard (try? value.decode(Double.self)) != nil else { return "the number cannot be read; it may be too large" }
        let takesFractions = key.map { fractions.contains($0.stringValue) } ?? false
        guard !takesFractions, (try? value.decode(Int64.self)) == nil else { return nil }
        return "expected an integer of at most 64 bits"
    }
}
