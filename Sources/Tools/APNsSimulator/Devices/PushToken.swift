import Encodings

/// A push token: bytes, written as lowercase hexadecimal.
struct PushToken: Hashable, Sendable {
    /// The length of this simulator's tokens: 80 bytes, like published Live Activity tokens.
    static let byteCount = 80

    /// The text form: lowercase digits, two for each byte.
    let hexadecimal: String

    /// Parses hexadecimal text in either case; nil for anything else.
    ///
    /// Accepts any length, since Apple asks senders to assume none.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8
        guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.allSatisfy({ HexDigit.value(of: $0) != nil })
        else {
            return nil
        }
        hexadecimal = digits.contains(where: \.isUpperCase) ? text.lowercased() : String(text)
    }

    /// Creates a random token.
    init(using generator: inout some RandomNumberGenerator) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for _ in 0..<Self.byteCount { bytes.append(.random(in: .min ... .max, using: &generator)) }
        hexadecimal = bytes.hexadecimal
    }
}

extension UInt8 {
    fileprivate var isUpperCase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
