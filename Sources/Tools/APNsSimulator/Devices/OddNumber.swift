import Foundation

/// Looks for the first number in good JSON that no field takes.
///
/// For a fraction where a whole number is wanted, and for a number that is too large, `JSONDecoder` says no more than that
/// the JSON is not valid.
struct OddNumber: Decodable {
    /// The fields that take fractions, of all that anyone reads here.
    private static let fractions: Set = ["currentHealthLevel", "healthLevel", "probability", "relevance-score"]

    /// Where the number is and what is odd about it; nil when there is none.
    let context: DecodingError.Context?

    /// Where that number is in a text; nil when there is none, and when the text is no JSON.
    static func context(in bytes: [UInt8]) -> DecodingError.Context? {
        (try? JSONDecoder().decode(Self.self, from: Data(bytes)))?.context
    }

    init(from decoder: any Decoder) throws {
        // Each failure means another type only.
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
        // Each failure means another type only.
        if (try? value.decode(String.self)) != nil || (try? value.decode(Bool.self)) != nil { return nil }
        guard (try? value.decode(Double.self)) != nil else { return "no number that can be read; it may be too large" }
        let takesFractions = key.map { fractions.contains($0.stringValue) } ?? false
        guard !takesFractions, (try? value.decode(Int64.self)) == nil else { return nil }
        return "a whole number is expected, of 64 bits at most"
    }
}
