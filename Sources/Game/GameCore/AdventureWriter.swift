import Encodings

/// A writer for the stored form of adventures: words and numbers separated by spaces or line feeds.
struct AdventureWriter {
    private(set) var bytes: [UInt8]

    init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Starts a line with a word.
    mutating func line(_ word: StaticString) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
        append(word)
    }

    mutating func word(_ word: StaticString) {
        bytes.append(UInt8(ascii: " "))
        append(word)
    }

    mutating func word(_ word: String) {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: word.utf8)
    }

    mutating func number(_ number: Int) {
        bytes.append(UInt8(ascii: " "))
        digits(number)
    }

    /// Writes a word followed by a number.
    mutating func field(_ name: StaticString, _ number: Int) {
        word(name)
        self.number(number)
    }

    /// Writes a moment after 1970 in microseconds.
    mutating func moment(_ moment: Timestamp) { number(Int(moment.microseconds)) }

    /// Writes two numbers with a slash between them, such as `28/110`.
    mutating func fraction(_ part: Int, of whole: Int) {
        number(part)
        bytes.append(UInt8(ascii: "/"))
        digits(whole)
    }

    /// Writes a word of sixteen hexadecimal digits.
    mutating func bits(_ bits: UInt64) {
        bytes.append(UInt8(ascii: " "))
        for shift in stride(from: 60, through: 0, by: -4) {
            bytes.append(HexDigit.ascii(UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 15))
        }
    }

    private mutating func append(_ word: StaticString) {
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func digits(_ number: Int) {
        precondition(number >= 0, "the stored form has no negative numbers, but the value is \(number)")
        if number >= 10 { digits(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
