/// The address of one activity on one phone: bytes, written in lower-case hexadecimal.
struct PushToken: Hashable, Sendable {
    /// How long the tokens are that this simulator hands out: 80 bytes, as published Live Activity tokens are.
    static let byteCount = 80

    /// Lower-case digits, two a byte.
    let hexadecimal: String

    /// The token written so, in either case; nil when the text is not whole bytes in hexadecimal.
    ///
    /// Apple asks senders to assume no length, and so does this.
    init?(hexadecimal text: String) {
        guard !text.isEmpty, text.utf8.count.isMultiple(of: 2) else { return nil }
        guard text.utf8.allSatisfy({ UInt8.hexadecimalDigits.contains($0) }) else { return nil }
        hexadecimal = text.lowercased()
    }

    /// A new one.
    init(using generator: inout some RandomNumberGenerator) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        for _ in 0..<Self.byteCount {
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        hexadecimal = String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    /// The digits of hexadecimal numbers in ASCII, both cases.
    fileprivate static let hexadecimalDigits = Array("0123456789abcdefABCDEF".utf8)
}
