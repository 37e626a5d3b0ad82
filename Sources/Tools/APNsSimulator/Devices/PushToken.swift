/// The address of one activity on one phone: bytes, written in lower-case hexadecimal.
struct PushToken: Hashable, Sendable {
    /// How long the tokens are that this simulator hands out: 80 bytes, as published Live Activity tokens are.
    static let byteCount = 80

    /// Lower-case digits, two a byte.
    let hexadecimal: String

    /// The token written so, in either case; nil when the text is not whole bytes in hexadecimal.
    ///
    /// Apple asks senders to assume no length, and so does this.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8
        guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.allSatisfy(\.isHexadecimalDigit) else {
            return nil
        }
        hexadecimal = digits.contains(where: \.isUpperCase) ? text.lowercased() : String(text)
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
    /// Whether it is a digit of hexadecimal numbers in ASCII, of either case.
    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    fileprivate var isUpperCase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
