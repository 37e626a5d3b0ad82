#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Collection<UInt8> {
    /// The bytes in base64url without padding (RFC 4648, section 5; RFC 7515, section 2).
    public var base64URL: String {
        let text = Data(self).base64EncodedString().utf8.compactMap { character -> UInt8? in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: character
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension RangeReplaceableCollection<UInt8> {
    /// Decodes base64url without padding (RFC 4648, section 5; RFC 7515, section 2).
    ///
    /// - Returns: nil if the text has padding, a character outside the alphabet, or an impossible length.
    public init?(base64URL text: some StringProtocol) {
        var base64: [UInt8] = []
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: base64.append(character)
            }
        }
        while !base64.count.isMultiple(of: 4) { base64.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: Data(base64)) else { return nil }
        self.init(data)
    }
}
