import Foundation

/// The position and the reason of the first syntax error in JSON (RFC 8259).
///
/// Foundation's decoder reports no position, and it accepts more than JSON, such as other encodings than UTF-8.
package struct JSONFault: Error, Equatable {
    /// The line, from 1.
    ///
    /// A line ends with a line feed.
    package let line: Int
    /// The column, from 1, in Unicode scalars.
    package let column: Int
    /// The end of a sentence.
    package let reason: String

    /// Finds the first syntax error; nil if the bytes are valid JSON.
    package init?(in json: [UInt8]) {
        var scanner = JSONScanner(json)
        do throws(JSONScanner.SyntaxError) {
            try scanner.scanDocument()
            return nil
        } catch {
            let before = json[..<min(scanner.index, json.count)]
            let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            self.line = line.count
            // The continuation bytes of UTF-8 begin with the bits 10.
            column = (line.last?.count { $0 & 0b1100_0000 != 0b1000_0000 } ?? 0) + 1
            reason = error.reason
        }
    }
}

extension JSONFault: CustomStringConvertible {
    package var description: String { "Malformed JSON at line \(line), column \(column): \(reason)." }
}

/// A recursive-descent scanner for the grammar of JSON.
///
/// It stops at the first syntax error.
private struct JSONScanner {
    struct SyntaxError: Error {
        let reason: String
    }

    /// Limits the recursion; far deeper than any request body.
    private static let maxDepth = 64

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private let bytes: [UInt8]
    /// The index of the current byte.
    private(set) var index = 0
    private var depth = 0
    /// The fields of the outermost object so far.
    ///
    /// Requests use no nested objects, so only these are checked for duplicates.
    private var fields: Set<String> = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func scanDocument() throws(SyntaxError) {
        try scanValue()
        if index < bytes.count { throw SyntaxError(reason: "nothing may follow the value") }
    }

    /// Scans a value and the white space around it.
    private mutating func scanValue() throws(SyntaxError) {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"):
            try scanList(until: UInt8(ascii: "}")) { scanner throws(SyntaxError) in try scanner.scanField() }
        case UInt8(ascii: "["):
            try scanList(until: UInt8(ascii: "]")) { scanner throws(SyntaxError) in try scanner.scanValue() }
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "-"), .some(Self.digits): try scanNumber()
        case UInt8(ascii: "t"): try scanWord("true")
        case UInt8(ascii: "f"): try scanWord("false")
        case UInt8(ascii: "n"): try scanWord("null")
        case .some, nil: throw error("expected a value")
        }
        skipSpace()
    }

    /// Scans elements between brackets, separated by commas.
    private mutating func scanList(
        until end: UInt8,
        _ scanElement: (inout Self) throws(SyntaxError) -> Void
    ) throws(SyntaxError) {
        depth += 1
        guard depth <= Self.maxDepth else { throw SyntaxError(reason: "the value is nested too deeply") }
        index += 1
        skipSpace()
        if current != end {
            try scanElement(&self)
            while current == UInt8(ascii: ",") {
                index += 1
                try scanElement(&self)
            }
        }
        guard current == end else { throw error("expected ',' or '\(Character(UnicodeScalar(end)))'") }
        index += 1
        depth -= 1
    }

    private mutating func scanField() throws(SyntaxError) {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw error("expected a field name in quotation marks") }
        let start = index
        try scanString()
        if depth == 1, !fields.insert(Self.text(of: bytes[start..<index])).inserted {
            index = start
            throw SyntaxError(reason: "duplicate field")
        }
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw error("expected ':'") }
        index += 1
        try scanValue()
    }

    private mutating func scanString() throws(SyntaxError) {
        index += 1
        while let byte = current, byte != UInt8(ascii: "\"") {
            switch byte {
            case UInt8(ascii: "\\"): try scanEscape()
            case ..<0x20: throw SyntaxError(reason: "control characters must be escaped, such as \\n")
            case ..<0x80: index += 1
            default: try scanMultibyte()
            }
        }
        guard current != nil else { throw error("expected a quotation mark") }
        index += 1
    }

    /// Returns the decoded form of a string literal, including its quotation marks.
    private static func text(of string: ArraySlice<UInt8>) -> String {
        let text = String(decoding: string, as: UTF8.self)
        guard text.contains("\\") else { return text }
        // The same name can be written with and without escapes. Invalid escapes stay as they are.
        return (try? JSONDecoder().decode(String.self, from: Data(string))).map { "\"\($0)\"" } ?? text
    }

    private mutating func scanEscape() throws(SyntaxError) {
        let start = index
        index += 1
        switch current {
        case .some(let byte) where #""\/bfnrt"#.utf8.contains(byte): index += 1
        case UInt8(ascii: "u"):
            let unit = try scanCodeUnit()
            guard (0xd800...0xdfff).contains(unit) else { return }
            guard unit < 0xdc00, bytes[index...].starts(with: #"\u"#.utf8) else {
                index = start
                throw SyntaxError(reason: "unpaired surrogate")
            }
            index += 1
            guard (0xdc00...0xdfff).contains(try scanCodeUnit()) else {
                index = start
                throw SyntaxError(reason: "unpaired surrogate")
            }
        case .some, nil: throw error("unknown escape")
        }
    }

    /// Scans the `u` of an escape and its four digits.
    private mutating func scanCodeUnit() throws(SyntaxError) -> UInt16 {
        index += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = current.flatMap({ Character(UnicodeScalar($0)).hexDigitValue }) else {
                throw error("expected four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    /// Scans a character of several bytes.
    private mutating func scanMultibyte() throws(SyntaxError) {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes[index...].prefix(4).makeIterator()
        switch parser.parseScalar(from: &rest) {
        case .valid(let scalar): index += scalar.count
        case .error, .emptyInput: throw SyntaxError(reason: "invalid UTF-8")
        }
    }

    private mutating func scanNumber() throws(SyntaxError) {
        skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try scanDigits() }
        if skip(UInt8(ascii: ".")) { try scanDigits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
            try scanDigits()
        }
    }

    private mutating func scanDigits() throws(SyntaxError) {
        guard isAtDigit else { throw error("expected a digit") }
        while isAtDigit { index += 1 }
    }

    private mutating func scanWord(_ word: StaticString) throws(SyntaxError) {
        let text = "\(word)"
        guard bytes[index...].starts(with: text.utf8) else { throw error("expected a value") }
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

    private func error(_ reason: String) -> SyntaxError {
        SyntaxError(reason: index < bytes.count ? reason : "unexpected end, \(reason)")
    }
}
