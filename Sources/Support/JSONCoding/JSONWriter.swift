/// A writer of JSON bytes, in the order of its calls.
///
/// On hot paths it replaces `JSONEncoder`, which is much slower. It writes the same bytes as `JSONEncoder` with
/// `.withoutEscapingSlashes`.
package struct JSONWriter {
    /// The written bytes, in UTF-8.
    package private(set) var bytes: [UInt8] = []
    /// Whether a comma precedes the next key or element.
    private var needsComma = false

    /// Creates an empty writer.
    package init(reservingCapacity capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object; a closure writes its members.
    package mutating func object(_ members: (inout Self) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    /// Writes an array; a closure writes each element.
    package mutating func array<Element>(_ elements: [Element], _ write: (inout Self, Element) -> Void) {
        open("[")
        for element in elements { write(&self, element) }
        close("]")
    }

    /// Writes a member's key without escaping; its value must follow.
    package mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's key, with escapes if necessary; its value must follow.
    package mutating func key(escaping key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    package mutating func value(_ text: String) {
        separate()
        quote(text)
    }

    /// Writes an integer.
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

    /// Writes an integer of any size.
    package mutating func value(_ number: some FixedWidthInteger) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    /// Writes a finite number with the fewest digits that identify it; integers have no fraction.
    package mutating func value(_ number: Double) {
        precondition(number.isFinite, "JSON has no \(number)")
        separate()
        let thousandths = (number * 1_000).rounded()
        if thousandths >= 0, thousandths <= 1_000, thousandths / 1_000 == number {
            return append(thousandths: Int(thousandths))
        }
        let digits = number.description
        bytes.append(contentsOf: digits.hasSuffix(".0") ? digits.dropLast(2).utf8 : digits[...].utf8)
    }

    /// Appends a number of thousandths, 0…1,000, as most levels are, without a string.
    private mutating func append(thousandths: Int) {
        bytes.append(UInt8(ascii: "0") + UInt8(thousandths / 1_000))
        guard thousandths % 1_000 > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var rest = thousandths % 1_000
        var unit = 100
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / unit))
            rest %= unit
            unit /= 10
        }
    }

    /// Writes a Boolean.
    package mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Writes `null`.
    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a value that is already encoded as JSON.
    package mutating func value(encoded json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Appends a part of a document that is already encoded.
    package mutating func append(_ part: ArraySlice<UInt8>) {
        bytes.append(contentsOf: part)
    }

    /// Writes the opening bracket of an object or array.
    package mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    /// Writes the closing bracket of the current object or array.
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

    /// Appends a byte of a string; only quotation marks, backslashes and control characters are escaped (RFC 8259,
    /// section 7).
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
