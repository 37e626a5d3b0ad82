import Encodings
import GameCore

/// The running digest of a shard's log.
///
/// Two readers with the same position and digest have read the same entries. A reader whose digest differs from the
/// shard's has read entries that the database lost, for example in a failover. It is a checksum against mistakes, not a
/// protection against forgery.
public struct LogDigest: Hashable, Sendable {
    /// The digest of the entries so far; zero without entries.
    public private(set) var value: UInt64

    /// Creates the digest of no entries, or continues a stored one.
    public init(value: UInt64 = 0) { self.value = value }

    /// Adds an entry.
    package mutating func add(_ entry: LogRow) {
        mix(UInt64(bitPattern: entry.position))
        mix(UInt64(bitPattern: entry.at.microseconds))
        mix(entry.kind)
        if let id = entry.adventureID { mix(id.description) }
        mix(entry.body)
        mix(UInt64(bitPattern: entry.digest ?? 0))
    }

    private mutating func mix(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var word: UInt64 = 0
            for (index, byte) in bytes.enumerated() {
                word = word << 8 | UInt64(byte)
                if index % 8 == 7 { mix(word) }
            }
            mix(word)
            mix(UInt64(bytes.count))
        }
    }

    /// Mixes in a word: one round of FNV-1a with a shift, so that high bits reach low ones.
    private mutating func mix(_ word: UInt64) {
        value = (value ^ word ^ 0xcbf2_9ce4_8422_2325) &* 0x100_0000_01b3
        value ^= value >> 29
    }
}
