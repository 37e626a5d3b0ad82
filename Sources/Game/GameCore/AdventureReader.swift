import Encodings

/// A parser for the stored form of adventures, word by word; see ``AdventureWriter``.
///
/// Arbitrary input is safe: every read returns a value or throws an error with its position.
struct AdventureReader {
    private let bytes: [UInt8]
    /// The offset of the next word; at the end of the text, its number of bytes.
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Skips the next word if it is the given one.
    /// - Returns: whether the word was skipped.
    mutating func accept(_ word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, isEndOfWord(end) else { return false }
        let matches = word.withUTF8Buffer { word in
            for index in word.indices where bytes[position + index] != word[index] { return false }
            return true
        }
        if matches { skip(to: end) }
        return matches
    }

    /// Skips the next word, which must be the given one.
    mutating func expect(_ word: StaticString) throws(AdventureDecodingError) {
        guard accept(word) else { throw error("expected '\(word)'") }
    }

    mutating func word() throws(AdventureDecodingError) -> String {
        let end = endOfWord(from: position)
        guard end > position else { throw error("expected a word") }
        defer { skip(to: end) }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    /// Reads a word that is a raw value of an enumeration.
    mutating func value<Value: RawRepresentable<String>>(
        _ type: Value.Type = Value.self
    ) throws(AdventureDecodingError) -> Value {
        let start = position
        let word = try word()
        guard let value = Value(rawValue: word) else {
            position = start
            throw error("'\(word)' is not a valid \(type)")
        }
        return value
    }

    /// Reads a number, 0…999,999,999 unless another number of digits is given.
    mutating func number(digits limit: Int = 9) throws(AdventureDecodingError) -> Int {
        let (number, end) = digits(from: position, limit)
        guard let number, isEndOfWord(end) else { throw error("expected a number of 1 to \(limit) digits") }
        skip(to: end)
        return number
    }

    /// Reads two numbers with a slash between them, such as `28/110`.
    mutating func fraction(digits limit: Int = 9) throws(AdventureDecodingError) -> (part: Int, whole: Int) {
        let (part, slash) = digits(from: position, limit)
        guard let part, slash < bytes.count, bytes[slash] == UInt8(ascii: "/") else {
            throw error("expected two numbers with a slash between them")
        }
        let (whole, end) = digits(from: slash + 1, limit)
        guard let whole, isEndOfWord(end) else { throw error("expected two numbers with a slash between them") }
        skip(to: end)
        return (part, whole)
    }

    /// Reads a moment in microseconds since 1970.
    mutating func moment() throws(AdventureDecodingError) -> Timestamp {
        Timestamp(microseconds: Int64(try number(digits: 17)))
    }

    mutating func id<ID: EntityID>() throws(AdventureDecodingError) -> ID {
        let start = position
        guard let id = ID(try word()) else {
            position = start
            throw error("expected a UUID")
        }
        return id
    }

    /// Reads a word of sixteen hexadecimal digits.
    mutating func bits() throws(AdventureDecodingError) -> UInt64 {
        let end = endOfWord(from: position)
        guard end - position == 16 else { throw error("expected 16 hexadecimal digits") }
        var bits: UInt64 = 0
        for byte in bytes[position..<end] {
            guard let digit = HexDigit.value(of: byte) else { throw error("expected 16 hexadecimal digits") }
            bits = bits << 4 | UInt64(digit)
        }
        skip(to: end)
        return bits
    }

    /// Returns an error with the position of the next word.
    func error(_ reason: String) -> AdventureDecodingError {
        let word = String(decoding: bytes[position..<endOfWord(from: position)], as: UTF8.self)
        return AdventureDecodingError(reason: "\(reason) at byte \(position), found '\(word)'")
    }

    /// Reads digits from a position.
    /// - Returns: the number, nil unless it has 1 to `limit` digits, and the position after it.
    private func digits(from start: Int, _ limit: Int) -> (number: Int?, end: Int) {
        var number = 0
        var end = start
        while end < bytes.count, bytes[end] >= UInt8(ascii: "0"), bytes[end] <= UInt8(ascii: "9"), end - start <= limit
        {
            number = number * 10 + Int(bytes[end] - UInt8(ascii: "0"))
            end += 1
        }
        return ((1...limit).contains(end - start) ? number : nil, end)
    }

    private func isEndOfWord(_ index: Int) -> Bool {
        index == bytes.count || bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\n")
    }

    private func endOfWord(from start: Int) -> Int {
        var end = start
        while !isEndOfWord(end) { end += 1 }
        return end
    }

    private mutating func skip(to end: Int) {
        position = min(end + 1, bytes.count)
    }
}
