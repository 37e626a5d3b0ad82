#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID {
    private static let textLength = 36
    private static let hyphens = [8, 13, 18, 23]

    /// The UUID as `rangersd` writes it everywhere: 36 characters in lower case.
    ///
    /// An answer has a dozen of them: Foundation's way, over C's formatted printing and a second pass, takes ten times as long.
    public var lowercaseText: String {
        let digits: StaticString = "0123456789abcdef"
        return withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: Self.textLength) { text in
                var end = 0
                for byte in bytes {
                    if Self.hyphens.contains(end) {
                        text[end] = UInt8(ascii: "-")
                        end += 1
                    }
                    text[end] = digits.utf8Start[Int(byte >> 4)]
                    text[end + 1] = digits.utf8Start[Int(byte & 15)]
                    end += 2
                }
                return end
            }
        }
    }

    /// The UUID that a text of 36 characters says, in lower or upper case; nil for every other text.
    public init?(text: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        var position = 0
        for character in text.utf8 {
            if Self.hyphens.contains(position) {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Self.hexadecimalDigit(character) else { return nil }
                if let first = high {
                    bytes.append(first << 4 | digit)
                    high = nil
                } else {
                    high = digit
                }
            }
            position += 1
            guard position <= Self.textLength else { return nil }
        }
        guard position == Self.textLength else { return nil }
        self.init(bytes: bytes)
    }

    /// The UUID with exactly these 16 bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a UUID has 16 bytes")
        self = bytes.withUnsafeBytes { $0.loadUnaligned(as: UUID.self) }
    }

    private static func hexadecimalDigit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
