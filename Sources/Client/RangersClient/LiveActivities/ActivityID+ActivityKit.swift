import Encodings
import Foundation
public import GameCore

extension ActivityID {
    /// The constants of FNV-1a with 128 bits (RFC 9923).
    private static let offset: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    /// Creates the server's identifier for a Live Activity from ActivityKit's.
    ///
    /// ActivityKit's identifiers are UUIDs, but Apple does not document that. Any other text becomes a UUID of version
    /// 8 (RFC 9562, section 5.8), which is the same at each launch.
    /// - Parameter text: the `id` of the `Activity`.
    public init(activityKitID text: String) {
        if let id = ActivityID(text) {
            self = id
            return
        }
        var hash = Self.offset
        for byte in text.utf8 {
            hash = (hash ^ UInt128(byte)) &* Self.prime
        }
        var bytes = (0..<16).map { UInt8(truncatingIfNeeded: hash >> (8 * (15 - $0))) }
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        self.init(rawValue: UUID(bytes: bytes))
    }
}
