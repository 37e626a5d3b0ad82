import Foundation

/// Where bytes stop being JSON (RFC 8259), and why, as whoever wrote them wants to hear it.
///
/// Foundation's decoder says that something is wrong and not where. It also takes more than JSON is: other encodings
/// than UTF-8, for one.
struct JSONFault: Error, Equatable {
    /// Counts from 1; a line ends with a line feed.
    let line: Int
    /// Counts from 1, in Unicode scalars.
    let column: Int
    /// What is wrong there, as a sentence's end.
    let reason: String

    /// The fault in some bytes; nil when they are JSON.
    init?(in json: [UInt8]) {
        var scanner = JSONScanner(json)
        do throws(JSONScanner.Stop) {
            try scanner.scanDocument()
            return nil
        } catch {
            let before = json[..<min(scanner.index, json.count)]
            let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            self.line = line.count
            // Bytes that continue a character begin with the bits 10.
            column = (line.last?.count { $0 & 0b1100_0000 != 0b1000_0000 } ?? 0) + 1
            reason = error.reason
        }
    }
}

extension JSONFault: CustomStringConvertible {
    var description: String { "The body stops being JSON at line \(line), column \(column): \(reason)." }
}

/// Goes through bytes as the grammar of JSON does, and stops where it cannot go on.
private struct JSONScanner {
    struct Stop: Error {
        let reason: String
    }

    /// Far deeper than any body of ours; bounds the recursion.
    private static let deepest = 64

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private let bytes: [UInt8]
    /// The byte that is looked at.
    private(set) var index = 0
    private var depth = 0
    /// The fields of the outermost object so far; what is inside of them no request of ours takes.
    private var fields: Set<String> = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func scanDocument() throws(Stop) {
        try scanValue()
        if index < bytes.count { throw Stop(reason: "nothing may follow here") }
    }

    /// A value with the white space around it.
    private mutating func scanValue() throws(Stop) {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"):
            try scanList(until: UInt8(ascii: "}")) { scanner throws(Stop) in try scanner.scanField() }
        case UInt8(ascii: "["):
            try scanList(until: UInt8(ascii: "]")) { scanner throws(Stop) in try scanner.scanValue() }
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "-"), .some(Self.digits): try scanNumber()
        case UInt8(ascii: "t"): try scanWord("true")
        case UInt8(ascii: "f"): try scanWord("false")
        case UInt8(ascii: "n"): try scanWord("null")
        case .some, nil: throw stop("a value is expected")
        }
        skipSpace()
    }

    /// What stands between brackets, separated by commas.
    private mutating func scanList(
        until end: UInt8,
        _ scanElement: (inout Self) throws(Stop) -> Void
    ) throws(Stop) {
        depth += 1
        guard depth <= Self.deepest else { throw Stop(reason: "it is nested too deeply") }
        index += 1
        skipSpace()
        if current != end {
            try scanElement(&self)
            while current == UInt8(ascii: ",") {
                index += 1
                try scanElement(&self)
            }
        }
        guard current == end else { throw stop("',' or '\(Character(UnicodeScalar(end)))' is expected") }
        index += 1
        depth -= 1
    }

    private mutating func scanField() throws(Stop) {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw stop("a field's name in quotation marks is expected") }
        let start = index
        try scanString()
        if depth == 1, !fields.insert(Self.text(of: bytes[start..<index])).inserted {
            index = start
            throw Stop(reason: "this field was there already")
        }
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw stop("':' is expected") }
        index += 1
        try scanValue()
    }

    private mutating func scanString() throws(Stop) {
        index += 1
        while let byte = current, byte != UInt8(ascii: "\"") {
            switch byte {
            case UInt8(ascii: "\\"): try scanEscape()
            case ..<0x20: throw Stop(reason: "a control character must be written as an escape, such as \\n")
            case ..<0x80: index += 1
            default: try scanMultibyte()
            }
        }
        guard current != nil else { throw stop("a quotation mark is expected") }
        index += 1
    }

    /// What a string's bytes stand for, its quotation marks included.
    private static func text(of string: ArraySlice<UInt8>) -> String {
        let text = String(decoding: string, as: UTF8.self)
        guard text.contains("\\") else { return text }
        // The same name can be written with escapes and without; escapes that stand for nothing are their own text.
        return (try? JSONDecoder().decode(String.self, from: Data(string))).map { "\"\($0)\"" } ?? text
    }

    private mutating func scanEscape() throws(Stop) {
        let start = index
        index += 1
        switch current {
        case .some(let byte) where #""\/bfnrt"#.utf8.contains(byte): index += 1
        case UInt8(ascii: "u"):
            let unit = try scanCodeUnit()
            guard (0xd800...0xdfff).contains(unit) else { return }
            guard unit < 0xdc00, bytes[index...].starts(with: #"\u"#.utf8) else {
                index = start
                throw Stop(reason: "half of a surrogate pair")
            }
            index += 1
            guard (0xdc00...0xdfff).contains(try scanCodeUnit()) else {
                index = start
                throw Stop(reason: "half of a surrogate pair")
            }
        case .some, nil: throw stop("there is no such escape")
        }
    }

    /// The `u` of an escape and its four digits.
    private mutating func scanCodeUnit() throws(Stop) -> UInt16 {
        index += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = current.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
                throw stop("four hexadecimal digits are expected")
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    /// A character of more than one byte.
    private mutating func scanMultibyte() throws(Stop) {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes[index...].prefix(4).makeIterator()
        switch parser.parseScalar(from: &rest) {
        case .valid(let scalar): index += scalar.count
        case .error, .emptyInput: throw Stop(reason: "this is no UTF-8")
        }
    }

    private mutating func scanNumber() throws(Stop) {
        skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try scanDigits() }
        if skip(UInt8(ascii: ".")) { try scanDigits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
            try scanDigits()
        }
    }

    private mutating func scanDigits() throws(Stop) {
        guard isAtDigit else { throw stop("a digit is expected") }
        while isAtDigit { index += 1 }
    }

    private mutating func scanWord(_ word: StaticString) throws(Stop) {
        let text = "\(word)"
        guard bytes[index...].starts(with: text.utf8) else { throw stop("a value is expected") }
        index += text.utf8.count
    }

    private mutating func skipSpace() {
        while let byte = current, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { index += 1 }
    }

    @discardableResult
    private mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        index += 1
        return true
    }

    private var isAtDigit: Bool { current.map(Self.digits.contains) ?? false }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func stop(_ reason: String) -> Stop {
        Stop(reason: index < bytes.count ? reason : "it ends here, and \(reason)")
    }
}
