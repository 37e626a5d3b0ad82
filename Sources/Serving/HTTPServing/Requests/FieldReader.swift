import Encodings
package import JSONCoding

/// Parses and validates the value of a field.
package struct FieldReader<Value> {
    /// An error for an invalid value.
    package struct InvalidValue: Error {
        /// The end of a sentence: "must be …".
        let reason: String

        package init(reason: String) {
            self.reason = reason
        }
    }

    let read: (JSONValue) -> Result<Value, InvalidValue>

    package init(_ read: @escaping (JSONValue) -> Result<Value, InvalidValue>) {
        self.read = read
    }

    /// Returns a reader of strings that `parse` accepts; the error message for other values contains the expectation.
    package static func string(_ expectation: String, _ parse: @escaping (String) -> Value?) -> Self {
        Self { value in
            guard case .string(let text) = value, let parsed = parse(text) else {
                return .failure(InvalidValue(reason: "must be \(expectation)"))
            }
            return .success(parsed)
        }
    }

    /// Returns a reader of the given words; the error message lists them.
    package static func one(of words: [String], _ parse: @escaping (String) -> Value?) -> Self {
        string("one of \(words.joined(separator: ", "))", parse)
    }
}

extension FieldReader where Value == Bool {
    package static var boolean: Self {
        Self { value in
            guard case .boolean(let flag) = value else {
                return .failure(InvalidValue(reason: "must be true or false"))
            }
            return .success(flag)
        }
    }
}

extension FieldReader where Value == Int {
    package static func integer(in range: ClosedRange<Int>) -> Self {
        Self { value in
            guard let number = value.integer, range.contains(number) else {
                let reason = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
                return .failure(InvalidValue(reason: reason))
            }
            return .success(number)
        }
    }
}

extension FieldReader where Value == String {
    package static var text: Self { string("a string") { $0 } }

    /// A reader of language tags, as phones report them.
    ///
    /// An identifier of Apple's `Locale`, such as `en_US@calendar=japanese`, is read as its language tag: an underscore
    /// counts as a hyphen, and the keywords from `@` on are ignored.
    package static var languageTag: Self {
        Self { value in
            guard case .string(let text) = value else { return .failure(InvalidValue(reason: "must be a string")) }
            let tag = String(text.prefix { $0 != "@" }).replacing("_", with: "-")
            return LanguageTag.fault(in: tag).map { .failure(InvalidValue(reason: $0)) } ?? .success(tag)
        }
    }
}

extension FieldReader where Value == [UInt8] {
    /// Returns a reader of bytes in hexadecimal, as apps write push tokens.
    package static func hexadecimal(byteCount: ClosedRange<Int>) -> Self {
        string("\(byteCount.lowerBound) to \(byteCount.upperBound) bytes in hexadecimal") { text in
            guard byteCount.contains(text.utf8.count / 2) else { return nil }
            return [UInt8](hexadecimal: text)
        }
    }
}

extension FieldReader where Value: RawRepresentable<String> & CaseIterable {
    /// A reader of the raw values of the type's cases.
    package static var oneOfItsCases: Self { one(of: Value.allCases.map(\.rawValue)) { Value(rawValue: $0) } }
}
