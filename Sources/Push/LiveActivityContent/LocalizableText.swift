/// A sentence that the phone says in its own language: a key of the String Catalog and what to put into it.
///
/// Keys are readable English sentences with `%@`, or `%1$@`, `%2$@` … where languages order words differently. A phone
/// that lacks a key shows the key, which still reads well.
public struct LocalizableText: Codable, Hashable, Sendable {
    /// The key, which is the English sentence too.
    public let key: String
    /// What replaces the placeholders, in order; text always, since `loc-args` allows nothing else.
    public let args: [String]

    /// A sentence and what to put into it.
    public init(key: String, args: [String] = []) {
        self.key = key
        self.args = args
    }

    /// The sentence in English.
    public var english: String { filled(into: key) }

    /// The sentence in another language.
    ///
    /// Understands what `loc-args` understands: `%@` takes the next argument, `%1$@` the one of that number, `%%` is
    /// a percent sign. A placeholder without its argument stays as it is.
    /// - Parameter translation: what the String Catalog has for ``key``.
    /// - Returns: the translation with ``args`` in place.
    public func filled(into translation: String) -> String {
        var result = ""
        var rest = Substring(translation)
        var nextIndex = 0
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[percent...]
            if rest.hasPrefix("%%") {
                result += "%"
                rest = rest.dropFirst(2)
            } else if let placeholder = Placeholder(startOf: rest) {
                let index = placeholder.index ?? nextIndex
                if placeholder.index == nil { nextIndex += 1 }
                result += args.indices.contains(index) ? args[index] : String(rest.prefix(placeholder.length))
                rest = rest.dropFirst(placeholder.length)
            } else {
                result += "%"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    /// How many arguments a sentence takes, as ``filled(into:)`` understands it.
    /// - Parameter translation: what the String Catalog has for a key.
    /// - Returns: the number of the last argument that it takes; 0 when it takes none.
    public static func argumentCount(in translation: String) -> Int {
        var rest = Substring(translation)
        var nextIndex = 0
        var count = 0
        while let percent = rest.firstIndex(of: "%") {
            rest = rest[percent...]
            if let placeholder = Placeholder(startOf: rest) {
                let index = placeholder.index ?? nextIndex
                if placeholder.index == nil { nextIndex += 1 }
                count = max(count, index + 1)
                rest = rest.dropFirst(placeholder.length)
            } else {
                rest = rest.dropFirst(rest.hasPrefix("%%") ? 2 : 1)
            }
        }
        return count
    }
}

/// `%@` or `%3$@` at the start of a text.
private struct Placeholder {
    /// Zero-based; nil for `%@`.
    let index: Int?
    /// In characters.
    let length: Int

    init?(startOf text: Substring) {
        let digits = text.dropFirst().prefix { $0.isASCII && $0.isNumber }
        if digits.isEmpty {
            guard text.hasPrefix("%@") else { return nil }
            self.init(index: nil, length: 2)
        } else {
            guard let number = Int(digits), number > 0, text.hasPrefix("%\(digits)$@") else { return nil }
            self.init(index: number - 1, length: digits.count + 3)
        }
    }

    private init(index: Int?, length: Int) {
        self.index = index
        self.length = length
    }
}
