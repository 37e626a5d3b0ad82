import Foundation

extension UUID {
    /// Where the digits of its bytes are in the text (RFC 9562, section 4): each two, with hyphens between groups.
    private static let places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
    private static let hyphens = [8, 13, 18, 23]
    private static let textCount = 36

    /// The text in lower case, as APNs writes it.
    ///
    /// Foundation's goes through printf(3), and its reading through scanf(3): a twentieth of the time that a push takes.
    var lowercasedText: String {
        unsafe withUnsafeBytes(of: uuid) { bytes in
            unsafe String(unsafeUninitializedCapacity: Self.textCount) { text in
                for place in Self.hyphens { unsafe text[place] = UInt8(ascii: "-") }
                for (index, place) in Self.places.enumerated() {
                    unsafe text[place] = HexDigits.digit(bytes[index] >> 4)
                    unsafe text[place + 1] = HexDigits.digit(bytes[index] & 15)
                }
                return Self.textCount
            }
        }
    }

    /// The id of that text, in lower or upper case; nil when it is none.
    init?(hexText text: String) {
        let text = text.utf8Span.span
        guard text.count == Self.textCount, Self.hyphens.allSatisfy({ text[$0] == UInt8(ascii: "-") }) else {
            return nil
        }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        for (index, place) in Self.places.enumerated() {
            guard let high = HexDigits.value(text[place]), let low = HexDigits.value(text[place + 1]) else {
                return nil
            }
            unsafe withUnsafeMutableBytes(of: &uuid) { unsafe $0[index] = high << 4 | low }
        }
        self.init(uuid: uuid)
    }
}
