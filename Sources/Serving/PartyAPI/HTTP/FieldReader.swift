import GameCore
import JSONCoding

/// How a field is read: what it must be, and what it becomes.
struct FieldReader<Value> {
    /// Why a value was not taken: "must be …".
    struct Refusal: Error {
        let reason: String
    }

    let read: (JSONValue) -> Result<Value, Refusal>

    private init(_ read: @escaping (JSONValue) -> Result<Value, Refusal>) {
        self.read = read
    }

    /// A string that `parse` makes something of; a client with anything else hears the expectation.
    private static func string(_ expectation: String, _ parse: @escaping (String) -> Value?) -> Self {
        Self { value in
            guard case .string(let text) = value, let parsed = parse(text) else {
                return .failure(Refusal(reason: "must be \(expectation)"))
            }
            return .success(parsed)
        }
    }
}

extension FieldReader where Value == Bool {
    static var boolean: Self {
        Self { value in
            guard case .boolean(let flag) = value else { return .failure(Refusal(reason: "must be true or false")) }
            return .success(flag)
        }
    }
}

extension FieldReader where Value == Int {
    static func integer(in range: ClosedRange<Int>) -> Self {
        Self { value in
            guard let number = value.integer, range.contains(number) else {
                let reason = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
                return .failure(Refusal(reason: reason))
            }
            return .success(number)
        }
    }
}

extension FieldReader where Value == String {
    static var text: Self { string("a string") { $0 } }

    /// What an operator calls a campaign: fit for a command line, and for a log.
    static var campaignName: Self {
        string("1 to 64 lower-case letters, digits and hyphens, beginning with a letter or digit") { text in
            text.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,63}/) != nil ? text : nil
        }
    }

    /// A language tag (BCP 47, RFC 5646 section 2.1), as phones give it: `ko`, `pt-BR`, `zh-Hant-TW`.
    static var languageTag: Self {
        string("a language tag such as ko or pt-BR") { text in
            // The longest that RFC 5646 section 4.4.1 asks programs to take.
            text.utf8.count <= 35 && text.wholeMatch(of: /[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*/) != nil ? text : nil
        }
    }
}

extension FieldReader where Value == Name {
    static var name: Self {
        Self { value in
            guard case .string(let text) = value else { return .failure(Refusal(reason: "must be a string")) }
            do throws(NameRefusal) {
                return .success(try Name(text))
            } catch {
                return .failure(Refusal(reason: error.reason))
            }
        }
    }
}

extension FieldReader where Value == [UInt8] {
    /// Bytes in hexadecimal, as apps write push tokens.
    static func hexadecimal(byteCount: ClosedRange<Int>) -> Self {
        let expectation = "\(byteCount.lowerBound) to \(byteCount.upperBound) bytes in hexadecimal"
        return string(expectation) { text in
            let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count.isMultiple(of: 2), byteCount.contains(digits.count / 2) else { return nil }
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = digits[index], let low = digits[index + 1] else { return nil }
                bytes.append(UInt8(high * 16 + low))
            }
            return bytes
        }
    }
}

extension FieldReader where Value: EntityID {
    static var id: Self { string("a UUID") { Value($0) } }
}

extension FieldReader {
    /// A list of identifiers, so many at most.
    static func ids<ID: EntityID>(atMost limit: Int) -> Self where Value == [ID] {
        Self { value in
            let refusal = Refusal(reason: "must be a list of at most \(limit) UUIDs")
            guard case .array(let elements) = value, elements.count <= limit else { return .failure(refusal) }
            let ids = elements.compactMap { element -> ID? in
                if case .string(let text) = element { ID(text) } else { nil }
            }
            return ids.count == elements.count ? .success(ids) : .failure(refusal)
        }
    }
}

extension FieldReader where Value: RawRepresentable<String> & CaseIterable {
    static var oneOfItsCases: Self { one(of: Value.allCases.map(\.rawValue)) { Value(rawValue: $0) } }
}

extension FieldReader where Value: CatalogueID {
    static func entry<Content: Catalogue>(of catalogue: Content.Type) -> Self where Content.Entry.ID == Value {
        one(of: Content.all.map(\.id.rawValue)) { Content[Value(rawValue: $0)]?.id }
    }
}

extension FieldReader {
    /// One of some words; whoever gives another hears which there are.
    static func one(of words: [String], _ parse: @escaping (String) -> Value?) -> Self {
        string("one of \(words.joined(separator: ", "))", parse)
    }
}
