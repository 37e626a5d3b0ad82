import Encodings
import Foundation
public import GameCore

extension ActivityID {
    /// FNV-1a for 128 bits (RFC 9923).
    private static let offset: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    /// The identifier by which the server knows the Live Activity that ActivityKit calls by that name.
    ///
    /// ActivityKit's names are UUIDs, which Apple does not promise: of anything else comes a UUID of version 8 (RFC 9562,
    /// section 5.8), the same at each launch.
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
