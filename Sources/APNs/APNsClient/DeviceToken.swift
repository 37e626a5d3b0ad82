import Encodings

/// The push token of one Live Activity on one device.
///
/// Apple promises no length: the tokens of Live Activities that were seen have 80 bytes, those of devices 32.
public struct DeviceToken: Hashable, Sendable {
    /// No token is longer, to keep what anyone may register within reason.
    private static let maxBytes = 256

    /// The token in lower-case hexadecimal digits, as the path of a request has it.
    ///
    /// It is a secret: do not log it.
    public let hex: String

    /// The token written in hexadecimal digits, or nil when the text is none: empty, odd, too long, other characters.
    public init?(hex: String) {
        let digits = hex.utf8
        guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.count <= 2 * Self.maxBytes,
            digits.allSatisfy({ HexDigit.value(of: $0) != nil })
        else { return nil }
        self.hex = hex.lowercased()
    }

    /// The token with these bytes, as a store keeps them, or nil when there are none or too many.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.maxBytes else { return nil }
        hex = bytes.hexadecimal
    }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// Its first digits, enough to recognise it in a log and of no use to anyone else.
    public var description: String { "\(hex.prefix(6))…(\(hex.utf8.count / 2) bytes)" }

    /// As little as `description` tells, also in a dump.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
