import Foundation

/// Returns a decoding error's path and reason, such as `aps.content-state.tick: Expected to decode Int …`.
func explanation(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let (context, missing): (DecodingError.Context, (any CodingKey)?) =
        switch error {
        case .keyNotFound(let key, let context): (context, key)
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
        @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), nil)
        }
    let path = (context.codingPath + [missing].compactMap(\.self)).map {
        $0.intValue.map(String.init) ?? $0.stringValue
    }
    guard !path.isEmpty else { return context.debugDescription }
    return path.joined(separator: ".") + ": " + (missing == nil ? context.debugDescription : "is missing")
}

/// Returns the path and reason of an error in a body.
///
/// `JSONDecoder` reports an unsupported number as invalid JSON; the result then names the number.
func explanation(of error: any Error, in bytes: [UInt8]) -> String {
    explanation(of: error) { UnsupportedNumber.context(in: bytes) }
}

/// Returns the path and reason of an error in one member of an object.
func explanation<Key: CodingKey>(
    of error: any Error,
    in container: KeyedDecodingContainer<Key>,
    _ key: Key
) -> String {
    // If the search fails, the error itself is the best explanation.
    explanation(of: error) { (try? container.decode(UnsupportedNumber.self, forKey: key))?.context }
}

private func explanation(of error: any Error, unless unsupportedNumber: () -> DecodingError.Context?) -> String {
    let mayBeNumber =
        switch error {
        case DecodingError.dataCorrupted(let context): context.codingPath.isEmpty
        // Inside a decoder, Foundation throws its own type of error.
        default: !(error is DecodingError)
        }
    guard mayBeNumber, let context = unsupportedNumber() else { return explanation(of: error) }
    return explanation(of: DecodingError.dataCorrupted(context))
}
