/// A sentence that the phone shows in its own language: a key of the String Catalog and its arguments.
///
/// A key is an English sentence with `%@` for its argument, or `%1$@`, `%2$@` … for several, since languages order
/// words differently. A phone without a translation shows the key.
public struct LocalizableText: Codable, Hashable, Sendable {
    /// The key, which is also the English sentence.
    public let key: String
    /// The arguments for the placeholders, in order; `loc-args` allows only texts.
    public let args: [String]

    /// Creates a sentence.
    /// - Parameters:
    ///   - key: the key.
    ///   - args: the arguments.
    public init(key: String, args: [String] = []) {
        self.key = key
        self.args = args
    }

    /// The English sentence with its arguments.
    public var english: String { filled(into: key) }

    /// Returns the sentence in the language of an app, with the names among its arguments.
    ///
    /// Names of the game are keys of the String Catalog, too; `translate` returns other arguments unchanged, as
    /// `NSLocalizedString` does.
    /// - Parameter translate: returns the translation of a key in the String Catalog, or the key itself.
    /// - Returns: the translation of ``key`` with the translated arguments.
    public func localized(by translate: (String) -> String) -> String {
        Self(key: key, args: args.map(translate)).filled(into: translate(key))
    }

    /// Returns the sentence in another language.
    ///
    /// Placeholders are those of `loc-args`: `%@` is the next argument, `%1$@` the argument with that number, and `%%`
    /// a percent sign. A placeholder without an argument is left unchanged.
    /// - Parameter translation: the translation of ``key`` in the String Catalog.
    /// - Returns: the translation with its placeholders replaced by ``args``.
    public func filled(into translation: String) -> String {
        var result = ""
        var rest = translation[...].utf8
        var nextIndex = 0
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            result += Substring(rest[..<percent])
            rest = rest[percent...]
            if rest.starts(with: "%%".utf8) {
                result += "%"
                rest = rest.dropFirst(2)
            } else if let placeholder = Placeholder(startOf: rest) {
                let index = placeholder.index ?? nextIndex
                if placeholder.index == nil { nextIndex += 1 }
                let isKnown = args.indices.contains(index)
                result += isKnown ? args[index][...] : Substring(rest.prefix(placeholder.length))
                rest = rest.dropFirst(placeholder.length)
            } else {
                result += "%"
                rest = rest.dropFirst()
            }
        }
        return result + Substring(rest)
    }

    /// Returns the number of arguments that a sentence needs, with the placeholders of ``filled(into:)``.
    /// - Parameter translation: the translation of a key in the String Catalog.
    /// - Returns: the number of the last argument in use; 0 for a sentence without placeholders.
    public static func argumentCount(in translation: String) -> Int {
        var rest = translation[...].utf8
        var nextIndex = 0
        var count = 0
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[percent...]
            if let placeholder = Placeholder(startOf: rest) {
                let index = placeholder.index ?? nextIndex
                if placeholder.index == nil { nextIndex += 1 }
                count = max(count, index + 1)
                rest = rest.dropFirst(placeholder.length)
            } else {
                rest = rest.dropFirst(rest.starts(with: "%%".utf8) ? 2 : 1)
            }
        }
        return count
    }
}

/// A placeholder such as `%@` or `%3$@` at the start of a text.
private struct Placeholder {
    /// The index of the argument, from 0; nil for `%@`.
    let index: Int?
    /// The length in bytes.
    let length: Int

    init?(startOf text: Substring.UTF8View) {
        let digits = text.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let rest = text.dropFirst(1 + digits.count)
        if digits.isEmpty {
            guard rest.first == UInt8(ascii: "@") else { return nil }
            self.init(index: nil, length: 2)
        } else {
            guard let number = Int(Substring(digits)), number > 0, rest.starts(with: "$@".utf8) else { return nil }
            self.init(index: number - 1, length: digits.count + 3)
        }
    }

    private init(index: Int?, length: Int) {
        self.index = index
        self.length = length
    }
}
