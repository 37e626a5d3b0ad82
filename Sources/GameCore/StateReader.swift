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
        let end = endOfWord(from: position)
        let matches = word.withUTF8Buffer { bytes[position..<end].elementsEqual($0) }
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
        let end = endOfWord(from: position)
        let number = try number(until: end)
        skip(to: end)
        return number
    }

    /// Such as `28/110`.
    mutating func share() throws(UndecodableAdventure) -> (part: Int, whole: Int) {
        let end = endOfWord(from: position)
        guard let slash = bytes[position..<end].firstIndex(of: UInt8(ascii: "/")) else {
            throw flaw("expected two numbers with a slash between them")
        }
        let part = try number(until: slash)
        position = slash + 1
        let whole = try number(until: end)
        skip(to: end)
        return (part, whole)
    }

    mutating func uuid() throws(UndecodableAdventure) -> UUID {
        let end = endOfWord(from: position)
        guard end - position == 36 else { throw flaw("expected a UUID") }
        var index = 0
        var isWhole = true
        var parts: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &parts) { parts in
            var digits = 0
            while index < 36 {
                let byte = bytes[position + index]
                if index == 8 || index == 13 || index == 18 || index == 23 {
                    isWhole = isWhole && byte == UInt8(ascii: "-")
                } else if let digit = Self.digit(byte) {
                    parts[digits / 2] = parts[digits / 2] << 4 | digit
                    digits += 1
                } else {
                    isWhole = false
                    digits += 1
                }
                index += 1
            }
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
            guard let digit = Self.digit(byte) else { throw flaw("expected 16 hexadecimal digits") }
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

    private func number(until end: Int) throws(UndecodableAdventure) -> Int {
        guard (1...9).contains(end - position) else { throw flaw("expected a number of 1 to 9 digits") }
        var number = 0
        for byte in bytes[position..<end] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                throw flaw("expected a number of 1 to 9 digits")
            }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    private func endOfWord(from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: " "), bytes[end] != UInt8(ascii: "\n") { end += 1 }
        return end
    }

    private mutating func skip(to end: Int) {
        position = min(end + 1, bytes.count)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
