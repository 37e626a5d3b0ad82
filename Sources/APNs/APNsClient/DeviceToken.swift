import Encodings

/// The push token of a Live Activity on a device.
///
/// Apple specifies no length. Observed tokens of Live Activities have 80 bytes, those of devices 32.
public struct DeviceToken: Hashable, Sendable {
    /// The size limit, since players register tokens.
    private static let maxBytes = 256

    /// The token is a secret: do not log it.
    private let bytes: [UInt8]

    /// The token in lower-case hexadecimal digits, as in the path of a request.
    public var hex: String { bytes.hexadecimal }

    /// Creates a token from hexadecimal digits, or returns nil if the text is empty, too long or not hexadecimal.
    public init?(hex: String) {
        guard let bytes = [UInt8](hexadecimal: hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// Appends the digits of ``hex`` to a text.
    func appendHex(to text: inout [UInt8]) {
        for byte in bytes {
            text.append(HexDigit.ascii(byte >> 4))
            text.append(HexDigit.ascii(byte & 15))
        }
    }

    /// Creates a token from bytes, or returns nil if there are none or too many.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.maxBytes else { return nil }
        self.bytes = bytes
    }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The first digits, which identify the token in a log but cannot be used to send pushes.
    public var description: String { "\(bytes.prefix(3).hexadecimal)…(\(bytes.count) bytes)" }

    /// A mirror of `description`, for dumps.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
