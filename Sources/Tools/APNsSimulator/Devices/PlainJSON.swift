/// Reads JSON as senders usually write it, at a fraction of what `JSONDecoder` costs.
///
/// It refuses whatever is not plain: an escape in a text, `null`, an exponent, a member twice. That says nothing about the
/// JSON: who is refused asks `JSONDecoder`, and what is read here must be what `JSONDecoder` reads.
struct PlainJSON {
    /// There is something that is not plain, or no JSON at all.
    struct Refusal: Error {}

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads an object; `member` reads the value of each key, or throws when it knows no such key.
    mutating func object(_ member: (inout Self, _ key: String) throws(Refusal) -> Void) throws(Refusal) {
        try expect(UInt8(ascii: "{"))
        if skip(UInt8(ascii: "}")) { return }
        repeat {
            let key = try text()
            try expect(UInt8(ascii: ":"))
            try member(&self, key)
        } while skip(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// Reads an array.
    mutating func array<Element>(
        of element: (inout Self) throws(Refusal) -> Element
    ) throws(Refusal) -> [Element] {
        var elements: [Element] = []
        try expect(UInt8(ascii: "["))
        if skip(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try element(&self)) } while skip(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        return elements
    }

    /// Reads a text.
    mutating func text() throws(Refusal) -> String {
        try expect(UInt8(ascii: "\""))
        let start = index
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { throw Refusal() }
            index += 1
        }
        guard peek != nil, let text = String(validating: bytes[start..<index], as: UTF8.self) else { throw Refusal() }
        index += 1
        return text
    }

    /// Reads a whole number.
    mutating func integer() throws(Refusal) -> Int64 {
        guard let number = Int64(try number(withFraction: false)) else { throw Refusal() }
        return number
    }

    /// Reads a number; one that is too large for `Double` is for `JSONDecoder` to refuse.
    mutating func number() throws(Refusal) -> Double {
        guard let number = Double(try number(withFraction: true)), number.isFinite else { throw Refusal() }
        return number
    }

    /// Reads `true` or `false`.
    mutating func flag() throws(Refusal) -> Bool {
        skipSpace()
        if skip(word: "true") { return true }
        if skip(word: "false") { return false }
        throw Refusal()
    }

    /// Whether the next value is a text.
    mutating func isAtText() -> Bool {
        skipSpace()
        return peek == UInt8(ascii: "\"")
    }

    /// Whether nothing follows any more.
    mutating func isAtEnd() -> Bool {
        skipSpace()
        return peek == nil
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The digits of a number, with its sign and its fraction (RFC 8259, section 6).
    private mutating func number(withFraction: Bool) throws(Refusal) -> Substring {
        skipSpace()
        let start = index
        if peek == UInt8(ascii: "-") { index += 1 }
        let firstDigit = peek
        let wholeDigits = skipDigits()
        guard wholeDigits == 1 || wholeDigits > 1 && firstDigit != UInt8(ascii: "0") else { throw Refusal() }
        if withFraction, peek == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() > 0 else { throw Refusal() }
        }
        // What may follow a number is a comma, a bracket or space: anything else makes it another number.
        switch peek {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): throw Refusal()
        default: return Substring(decoding: bytes[start..<index], as: UTF8.self)
        }
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func expect(_ byte: UInt8) throws(Refusal) {
        guard skip(byte) else { throw Refusal() }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skip(word: String) -> Bool {
        guard bytes[index...].starts(with: word.utf8) else { return false }
        index += word.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): index += 1
            default: return
            }
        }
    }
}

extension Optional {
    /// Puts a member's value where it belongs, once.
    mutating func fill(_ value: Wrapped) throws(PlainJSON.Refusal) {
        guard case .none = self else { throw PlainJSON.Refusal() }
        self = value
    }

    /// The member, without which there is nothing.
    var required: Wrapped {
        get throws(PlainJSON.Refusal) {
            guard let self else { throw PlainJSON.Refusal() }
            return self
        }
    }
}
