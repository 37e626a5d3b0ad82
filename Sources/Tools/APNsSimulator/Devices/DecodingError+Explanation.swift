import Foundation

/// What a decoder found wrong and where, such as `aps.content-state.tick: Expected to decode Int …`.
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

/// The same of a body: where `JSONDecoder` takes a number that it cannot read for broken JSON, it is the number.
func explanation(of error: any Error, in bytes: [UInt8]) -> String {
    explanation(of: error) { OddNumber.context(in: bytes) }
}

/// The same of one member of an object.
func explanation<Key: CodingKey>(
    of error: any Error,
    in container: KeyedDecodingContainer<Key>,
    _ key: Key
) -> String {
    // Where it cannot be looked for there is no odd number, and the error speaks for itself.
    explanation(of: error) { (try? container.decode(OddNumber.self, forKey: key))?.context }
}

private func explanation(of error: any Error, unless oddNumber: () -> DecodingError.Context?) -> String {
    let mayBeNumber =
        switch error {
        case DecodingError.dataCorrupted(let context): context.codingPath.isEmpty
        // Within a decoder it is an error of its own.
        default: !(error is DecodingError)
        }
    guard mayBeNumber, let context = oddNumber() else { return explanation(of: error) }
    return explanation(of: DecodingError.dataCorrupted(context))
}
