#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The text form of UUIDs (RFC 9562, section 4): 36 characters.
///
/// Foundation writes it with printf(3) and reads it with scanf(3), which takes ten times as long.
extension UUID {
    private static let textLength = 36

    /// The text form in lower case.
    public var lowercaseText: String {
        withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: Self.textLength) { text in
                var end = 0
                for index in 0..<16 {
                    if Self.followsHyphen(index) {
                        text[end] = UInt8(ascii: "-")
                        end += 1
                    }
                    text[end] = HexDigit.ascii(bytes[index] >> 4)
                    text[end + 1] = HexDigit.ascii(bytes[index] & 15)
                    end += 2
                }
                return end
            }
        }
    }

    /// Reads the text form in lower or upper case.
    ///
    /// - Returns: nil if the text has another form.
    @inlinable
    public init?(text: some StringProtocol) {
        let uuid =
            text.utf8.withContiguousStorageIfAvailable { Self.read($0) }
            ?? Array(text.utf8).withUnsafeBufferPointer { Self.read($0) }
        guard let uuid else { return nil }
        self = uuid
    }

    /// Creates a UUID from its 16 bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a UUID has 16 bytes, not \(bytes.count)")
        self = bytes.withUnsafeBytes { $0.loadUnaligned(as: UUID.self) }
    }

    @usableFromInline
    static func read(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == textLength else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isWellFormed = withUnsafeMutableBytes(of: &uuid) { bytes in
            var next = 0
            for index in 0..<16 {
                if followsHyphen(index) {
                    guard text[next] == UInt8(ascii: "-") else { return false }
                    next += 1
                }
                guard let high = HexDigit.value(of: text[next]), let low = HexDigit.value(of: text[next + 1]) else {
                    return false
                }
                bytes[index] = high << 4 | low
                next += 2
            }
            return true
        }
        return isWellFormed ? UUID(uuid: uuid) : nil
    }

    /// Whether the text has a hyphen before the digits of a byte.
    private static func followsHyphen(_ byte: Int) -> Bool {
        byte == 4 || byte == 6 || byte == 8 || byte == 10
    }
}
