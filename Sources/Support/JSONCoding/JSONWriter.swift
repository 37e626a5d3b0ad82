/// Writes JSON bytes one after another, in the order in which it is told.
///
/// Thousands of payloads a second differ in a few numbers only, so they are written straight to bytes. Every form is
/// the one of Foundation's `JSONEncoder` with `.withoutEscapingSlashes`; the tests hold them byte for byte. The players'
/// API writes its answers with it too.
package struct JSONWriter {
    /// What has been written, in UTF-8.
    package private(set) var bytes: [UInt8] = []
    /// Whether a comma is due before the next key or element.
    private var needsComma = false

    /// A writer that has written nothing.
    package init(reservingCapacity capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// An object with the members that a closure writes.
    package mutating func object(_ members: (inout Self) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    /// An array of what a closure writes for each element.
    package mutating func array<Element>(_ elements: [Element], _ write: (inout Self, Element) -> Void) {
        open("[")
        for element in elements { write(&self, element) }
        close("]")
    }

    /// The next member's key, whose value must follow.
    ///
    /// Keys are ours and need no escaping.
    package mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The next member's key, whatever it is, whose value must follow.
    package mutating func key(escaping key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A text.
    package mutating func value(_ text: String) {
        separate()
        quote(text)
    }

    /// A whole number.
    package mutating func value(_ number: Int) {
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let first = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[first...].reverse()
    }

    /// A whole number of another size.
    package mutating func value(_ number: some FixedWidthInteger) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    /// The shortest digits that read back as the same number, which must be finite; whole numbers without a fraction.
    package mutating func value(_ number: Double) {
        precondition(number.isFinite, "JSON has no \(number)")
        separate()
        let digits = number.description
        bytes.append(contentsOf: digits.hasSuffix(".0") ? digits.dropLast(2).utf8 : digits[...].utf8)
    }

    /// True or false.
    package mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Null.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A value that is JSON already.
    package mutating func value(encoded json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// An opening bracket: an object's or an array's.
    package mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    /// The closing bracket of what was opened last.
    package mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            if utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
                for byte in utf8 { appendEscaped(byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// RFC 8259, section 7: quotation mark, backslash and control characters must be escaped, nothing else.
    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0a: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0c: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0d: bytes.append(contentsOf: #"\r"#.utf8)
        case 0x00..<0x10: bytes.append(contentsOf: #"\u000\#(String(byte, radix: 16))"#.utf8)
        case 0x10..<0x20: bytes.append(contentsOf: #"\u00\#(String(byte, radix: 16))"#.utf8)
        default: bytes.append(byte)
        }
    }
}
