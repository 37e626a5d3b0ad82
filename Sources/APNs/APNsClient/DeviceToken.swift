import Encodings

/// The push token of a Live Activity on a device.
///
/// Apple specifies no length. Observed tokens of Live Activities have 80 bytes, those of devices 32.
public struct DeviceToken: Hashable, Sendable {
    /// The size limit, since players register tokens.
    private static let maxBytes = 256

    /// The token in lower-case hexadecimal digits, as in the path of a request.
    ///
    /// The token is a secret: do not log it.
    public let hex: String

    /// Creates a token from hexadecimal digits, or returns nil if the text is empty, too long or not hexadecimal.
    public init?(hex: String) {
        let digits = hex.utf8
        guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.count <= 2 * Self.maxBytes,
            digits.allSatisfy({ HexDigit.value(of: $0) != nil })
        else { return nil }
        self.hex = hex.lowercased()
    }

    /// Creates a token from bytes, or returns nil if there are none or too many.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.maxBytes else { return nil }
        hex = bytes.hexadecimal
    }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The first digits, which identify the token in a log but cannot be used to send pushes.
    public var description: String { "\(hex.prefix(6))…(\(hex.utf8.count / 2) bytes)" }

    /// A mirror of `description`, for dumps.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
