import Encodings
import GameCore
import HTTPServing
import JSONCoding

extension FieldReader where Value == String {
    /// Returns a reader of strings of 1 to `maxBytes` bytes in UTF-8.
    static func text(maxBytes: Int) -> Self {
        string("a string of 1 to \(maxBytes) bytes") { (1...maxBytes).contains($0.utf8.count) ? $0 : nil }
    }

    /// A reader of the names of campaigns, of characters that need no quotation in command lines and logs.
    static var campaignName: Self {
        string("1 to 64 lower-case letters, digits and hyphens, beginning with a letter or digit") { text in
            text.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,63}/) != nil ? text : nil
        }
    }
}

extension FieldReader where Value == Name {
    static var name: Self {
        Self { value in
            guard case .string(let text) = value else { return .failure(InvalidValue(reason: "must be a string")) }
            do throws(NameRefusal) {
                return .success(try Name(text))
            } catch {
                return .failure(InvalidValue(reason: error.reason))
            }
        }
    }
}

extension FieldReader where Value: EntityID {
    static var id: Self { string("a UUID") { Value($0) } }
}

extension FieldReader {
    /// Returns a reader of lists of at most `limit` identifiers.
    static func ids<ID: EntityID>(atMost limit: Int) -> Self where Value == [ID] {
        Self { value in
            let error = InvalidValue(reason: "must be a list of at most \(limit) UUIDs")
            guard case .array(let elements) = value, elements.count <= limit else { return .failure(error) }
            let ids = elements.compactMap { element -> ID? in
                if case .string(let text) = element { ID(text) } else { nil }
            }
            return ids.count == elements.count ? .success(ids) : .failure(error)
        }
    }
}

extension FieldReader where Value: CatalogueID {
    /// Returns a reader for the identifiers of a catalogue's entries.
    static func entry<Content: Catalogue>(of catalogue: Content.Type) -> Self where Content.Entry.ID == Value {
        one(of: Content.all.map(\.id.rawValue)) { Content[Value(rawValue: $0)]?.id }
    }
}

extension FieldReader where Value == Timestamp {
    /// A reader of times with their offset from UTC (RFC 3339).
    static var timestamp: Self { string("a time like 2026-01-31T12:00:00Z") { Timestamp(rfc3339: $0) } }
}
