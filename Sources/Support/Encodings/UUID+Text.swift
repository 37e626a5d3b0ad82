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
        String(unsafeUninitializedCapacity: Self.textLength) { write(to: $0) }
    }

    /// Appends the text form in lower case to UTF-8.
    public func appendLowercaseText(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.textLength) { digits in
            _ = write(to: digits)
            text.append(contentsOf: digits)
        }
    }

    /// Writes the text form to a buffer, and returns its length.
    private func write(to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        withUnsafeBytes(of: uuid) { bytes in
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

    /// Reads the text form in lower or upper case.
    ///
    /// - Returns: nil if the text has another form.
    @inlinable
    public init?(text: some StringProtocol) {
        let uuid =
            text.utf8.withContiguousStorageIfAvailable { Self(text: $0.span) }
            ?? Self(text: Array(text.utf8).span)
        guard let uuid else { return nil }
        self = uuid
    }

    /// Creates a UUID from its 16 bytes.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a UUID has 16 bytes, not \(bytes.count)")
        self = bytes.withUnsafeBytes { $0.loadUnaligned(as: UUID.self) }
    }

    /// Reads the text form, in lower or upper case, from UTF-8.
    ///
    /// - Returns: nil if the text has another form.
    public init?(text: Span<UInt8>) {
        guard text.count == Self.textLength else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isWellFormed = withUnsafeMutableBytes(of: &uuid) { bytes in
            var next = 0
            for index in 0..<16 {
                if Self.followsHyphen(index) {
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
        guard isWellFormed else { return nil }
        self.init(uuid: uuid)
    }

    /// Whether the text has a hyphen before the digits of a byte.
    private static func followsHyphen(_ byte: Int) -> Bool {
        byte == 4 || byte == 6 || byte == 8 || byte == 10
    }
}
