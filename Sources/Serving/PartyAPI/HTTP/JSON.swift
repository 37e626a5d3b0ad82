import JSONCoding
import LiveActivityContent

/// JSON as this API writes it: members in the order of their declaration, so that the same answer has the same bytes, and
/// on one line.
///
/// Foundation's `JSONEncoder` makes a tree of values before it writes them, which was most of what a read of an adventure
/// cost. This one writes each member as it comes. It knows no type of Foundation's: a date, an identifier or bytes are
/// texts in our answers, and an unordered dictionary would have other bytes each time.
enum JSON {
    /// An answer is mostly shorter.
    fileprivate static let usualSize = 2_048

    /// A value as text.
    static func encode(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(of: value), as: UTF8.self)
    }

    /// A value that writes itself, as UTF-8.
    static func bytes(of value: some JSONWritable) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: usualSize)
        value.write(to: &writer)
        return writer.bytes
    }

    /// A value as UTF-8.
    /// - Throws: `EncodingError` for a number that is not finite, and what the value's own `encode(to:)` throws.
    static func bytes(of value: some Encodable) throws -> [UInt8] {
        let page = JSONPage()
        try page.write(value)
        return page.writer.bytes
    }
}

/// What is written by all encoders and containers of one text.
///
/// Brackets are closed when the next thing is written outside of them: containers have no end of their own.
private final class JSONPage {
    private(set) var writer = JSONWriter(reservingCapacity: JSON.usualSize)
    /// The closing brackets of what is open, the outermost first.
    private var closing: [Unicode.Scalar] = []

    var depth: Int { closing.count }

    /// Writes a value at the place that is open for one.
    func write(_ value: some Encodable) throws {
        let outside = depth
        let start = writer.bytes.count
        try value.encode(to: JSONPageEncoder(page: self, depth: outside))
        if writer.bytes.count == start { open("{", "}") }
        close(to: outside)
    }

    /// Makes a container at a depth, or goes on with the one that is there.
    func container(at depth: Int, _ opening: Unicode.Scalar, _ closing: Unicode.Scalar) {
        if self.depth == depth {
            open(opening, closing)
        } else {
            precondition(self.closing[depth] == closing, "a value is encoded as an object and as an array")
        }
    }

    /// The key of the next member of an object at a depth.
    func key(_ key: some CodingKey, at depth: Int) {
        close(to: depth)
        writer.key(escaping: key.stringValue)
    }

    /// Closes what is open inside a depth.
    func close(to depth: Int) {
        while closing.count > depth { writer.close(closing.removeLast()) }
    }

    func write(json: [UInt8]) { writer.value(encoded: json) }
    func write(text: String) { writer.value(text) }
    func write(flag: Bool) { writer.value(flag) }
    func write(integer: some FixedWidthInteger) { writer.value(integer) }
    func writeNull() { writer.null() }

    func write(number: Double) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "JSON has no \(number)"))
        }
        writer.value(number)
    }

    private func open(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar) {
        writer.open(opening)
        self.closing.append(closing)
    }
}

/// Writes one value at a depth.
///
/// Paths are not kept: what goes wrong is told by the value.
private struct JSONPageEncoder: Encoder {
    let page: JSONPage
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        page.container(at: depth, "{", "}")
        return KeyedEncodingContainer(JSONMembers(page: page, depth: depth + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        page.container(at: depth, "[", "]")
        return JSONElements(page: page, depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleValue(page: page) }
}

private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let page: JSONPage
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    private func member(_ key: Key) -> JSONSingleValue {
        page.key(key, at: depth)
        return JSONSingleValue(page: page)
    }

    mutating func encodeNil(forKey key: Key) { member(key).encodeNil() }
    mutating func encode(_ value: Bool, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: String, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try member(key).encode(value) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try member(key).encode(value) }
    mutating func encode(_ value: Int, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: Int8, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: Int16, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: Int32, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: Int64, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: UInt, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: UInt8, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: UInt16, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: UInt32, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: UInt64, forKey key: Key) { member(key).encode(value) }
    mutating func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).encode(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        superEncoder(forKey: key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        superEncoder(forKey: key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        guard let key = Key(stringValue: "super") else { preconditionFailure("\(Key.self) has no key for it") }
        return superEncoder(forKey: key)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        page.key(key, at: depth)
        return JSONPageEncoder(page: page, depth: depth)
    }
}

private struct JSONElements: UnkeyedEncodingContainer {
    let page: JSONPage
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    private(set) var count = 0

    init(page: JSONPage, depth: Int) {
        self.page = page
        self.depth = depth
    }

    private mutating func next() -> JSONSingleValue {
        page.close(to: depth)
        count += 1
        return JSONSingleValue(page: page)
    }

    mutating func encodeNil() { next().encodeNil() }
    mutating func encode(_ value: Bool) { next().encode(value) }
    mutating func encode(_ value: String) { next().encode(value) }
    mutating func encode(_ value: Double) throws { try next().encode(value) }
    mutating func encode(_ value: Float) throws { try next().encode(value) }
    mutating func encode(_ value: Int) { next().encode(value) }
    mutating func encode(_ value: Int8) { next().encode(value) }
    mutating func encode(_ value: Int16) { next().encode(value) }
    mutating func encode(_ value: Int32) { next().encode(value) }
    mutating func encode(_ value: Int64) { next().encode(value) }
    mutating func encode(_ value: UInt) { next().encode(value) }
    mutating func encode(_ value: UInt8) { next().encode(value) }
    mutating func encode(_ value: UInt16) { next().encode(value) }
    mutating func encode(_ value: UInt32) { next().encode(value) }
    mutating func encode(_ value: UInt64) { next().encode(value) }
    mutating func encode(_ value: some Encodable) throws { try next().encode(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        superEncoder().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder {
        _ = next()
        return JSONPageEncoder(page: page, depth: depth)
    }
}

private struct JSONSingleValue: SingleValueEncodingContainer {
    let page: JSONPage
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { page.writeNull() }
    func encode(_ value: Bool) { page.write(flag: value) }
    func encode(_ value: String) { page.write(text: value) }
    func encode(_ value: Double) throws { try page.write(number: value) }
    func encode(_ value: Float) throws { try page.write(number: Double(value)) }
    func encode(_ value: Int) { page.write(integer: value) }
    func encode(_ value: Int8) { page.write(integer: value) }
    func encode(_ value: Int16) { page.write(integer: value) }
    func encode(_ value: Int32) { page.write(integer: value) }
    func encode(_ value: Int64) { page.write(integer: value) }
    func encode(_ value: UInt) { page.write(integer: value) }
    func encode(_ value: UInt8) { page.write(integer: value) }
    func encode(_ value: UInt16) { page.write(integer: value) }
    func encode(_ value: UInt32) { page.write(integer: value) }
    func encode(_ value: UInt64) { page.write(integer: value) }

    func encode(_ value: some Encodable) throws {
        if let text = value as? JSONText {
            page.write(json: text.bytes)
        } else {
            try page.write(value)
        }
    }
}
