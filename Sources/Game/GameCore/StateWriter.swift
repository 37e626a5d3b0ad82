#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Puts an adventure's text together: words and numbers with a space or a line feed between them.
struct StateWriter {
    private(set) var bytes: [UInt8]

    init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Begins a line.
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

    /// A word with its number behind it.
    mutating func field(_ name: StaticString, _ number: Int) {
        word(name)
        self.number(number)
    }

    /// Such as `28/110`.
    mutating func share(_ part: Int, of whole: Int) {
        number(part)
        bytes.append(UInt8(ascii: "/"))
        digits(whole)
    }

    /// As a UUID is written, in lower case.
    mutating func uuid(_ uuid: UUID) {
        // At once and not byte by byte: identifiers are most of a text.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 37) { text in
            text[0] = UInt8(ascii: " ")
            var next = 1
            withUnsafeBytes(of: uuid.uuid) { parts in
                for index in 0..<16 {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[next] = UInt8(ascii: "-")
                        next += 1
                    }
                    text[next] = Self.digit(parts[index] >> 4)
                    text[next + 1] = Self.digit(parts[index] & 0x0f)
                    next += 2
                }
            }
            bytes.append(contentsOf: text)
        }
    }

    /// Sixteen hexadecimal digits.
    mutating func bits(_ bits: UInt64) {
        bytes.append(UInt8(ascii: " "))
        for index in 0..<8 { hexadecimal(UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64(index)))) }
    }

    private mutating func append(_ word: StaticString) {
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func digits(_ number: Int) {
        precondition(number >= 0, "nothing in an adventure is below zero, and this is \(number)")
        if number >= 10 { digits(number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private mutating func hexadecimal(_ byte: UInt8) {
        bytes.append(Self.digit(byte >> 4))
        bytes.append(Self.digit(byte & 0x0f))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
