#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes an adventure's text apart, word by word; see ``StateWriter``.
///
/// Whatever the text holds, reading it ends in values or in an error that names the place; nothing traps.
struct StateReader {
    private let bytes: [UInt8]
    /// Where the next word begins; the number of bytes at the end.
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Goes past the next word if it is this one.
    mutating func accept(_ word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, end == bytes.count || Self.separates(bytes[end]) else { return false }
        let matches = word.withUTF8Buffer { word in
            for index in word.indices where bytes[position + index] != word[index] { return false }
            return true
        }
        if matches { skip(to: end) }
        return matches
    }

    /// Goes past the next word, which must be this one.
    mutating func expect(_ word: StaticString) throws(UndecodableAdventure) {
        guard accept(word) else { throw flaw("expected '\(word)'") }
    }

    mutating func word() throws(UndecodableAdventure) -> String {
        let end = endOfWord(from: position)
        guard end > position else { throw flaw("expected a word") }
        defer { skip(to: end) }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    /// A word that one of our enumerations knows.
    mutating func value<Value: RawRepresentable<String>>(
        _ type: Value.Type = Value.self
    ) throws(UndecodableAdventure) -> Value {
        let start = position
        let word = try word()
        guard let value = Value(rawValue: word) else {
            position = start
            throw flaw("'\(word)' is no \(type)")
        }
        return value
    }

    /// 0…999,999,999.
    mutating func number() throws(UndecodableAdventure) -> Int {
        let (number, end) = digits(from: position)
        guard let number, end == bytes.count || Self.separates(bytes[end]) else {
            throw flaw("expected a number of 1 to 9 digits")
        }
        skip(to: end)
        return number
    }

    /// Such as `28/110`.
    mutating func share() throws(UndecodableAdventure) -> (part: Int, whole: Int) {
        let (part, slash) = digits(from: position)
        guard let part, slash < bytes.count, bytes[slash] == UInt8(ascii: "/") else {
            throw flaw("expected two numbers with a slash between them")
        }
        let (whole, end) = digits(from: slash + 1)
        guard let whole, end == bytes.count || Self.separates(bytes[end]) else {
            throw flaw("expected two numbers with a slash between them")
        }
        skip(to: end)
        return (part, whole)
    }

    mutating func uuid() throws(UndecodableAdventure) -> UUID {
        let end = position + 36
        guard end <= bytes.count, end == bytes.count || Self.separates(bytes[end]) else {
            throw flaw("expected a UUID")
        }
        var parts: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isWhole = withUnsafeMutableBytes(of: &parts) { parts in
            var next = position
            // Keeps a bit of every byte that is no digit.
            var strange: UInt8 = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    strange |= bytes[next] ^ UInt8(ascii: "-")
                    next += 1
                }
                let (high, low) = (Self.digit(bytes[next]), Self.digit(bytes[next + 1]))
                strange |= (high | low) & 0xf0
                parts[index] = high << 4 | low & 0x0f
                next += 2
            }
            return strange == 0
        }
        guard isWhole else { throw flaw("expected a UUID") }
        skip(to: end)
        return UUID(uuid: parts)
    }

    /// Sixteen hexadecimal digits.
    mutating func bits() throws(UndecodableAdventure) -> UInt64 {
        let end = endOfWord(from: position)
        guard end - position == 16 else { throw flaw("expected 16 hexadecimal digits") }
        var bits: UInt64 = 0
        for byte in bytes[position..<end] {
            let digit = Self.digit(byte)
            guard digit < 16 else { throw flaw("expected 16 hexadecimal digits") }
            bits = bits << 4 | UInt64(digit)
        }
        skip(to: end)
        return bits
    }

    /// An error at the next word.
    func flaw(_ reason: String) -> UndecodableAdventure {
        let word = String(decoding: bytes[position..<endOfWord(from: position)], as: UTF8.self)
        return UndecodableAdventure(reason: "\(reason) at byte \(position), found '\(word)'")
    }

    /// The number that begins somewhere, nil unless it has 1 to 9 digits; and where it ends.
    private func digits(from start: Int) -> (number: Int?, end: Int) {
        var number = 0
        var end = start
        while end < bytes.count, bytes[end] >= UInt8(ascii: "0"), bytes[end] <= UInt8(ascii: "9"), end - start <= 9 {
            number = number * 10 + Int(bytes[end] - UInt8(ascii: "0"))
            end += 1
        }
        return ((1...9).contains(end - start) ? number : nil, end)
    }

    private static func separates(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
    }

    private func endOfWord(from start: Int) -> Int {
        var end = start
        while end < bytes.count, !Self.separates(bytes[end]) { end += 1 }
        return end
    }

    private mutating func skip(to end: Int) {
        position = min(end + 1, bytes.count)
    }

    /// The value of a hexadecimal digit in lower case; 255 for any other byte.
    private static func digit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: 255
        }
    }
}
