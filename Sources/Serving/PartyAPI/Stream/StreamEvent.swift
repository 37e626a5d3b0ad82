import Encodings
import GameCore
import GameLog

/// An event of a stream.
struct StreamEvent {
    let stored: StoredEvent
    /// The mark of its identifier.
    let mark: String

    /// The identifier from which clients resume: the sequence and the mark.
    var id: String { "\(stored.sequence)-\(mark)" }

    /// Returns events with their marks; afterwards the digest includes them.
    static func marked(_ events: [StoredEvent], after digest: inout EventDigest) -> [Self] {
        events.map { event in
            digest.add(event.event)
            return Self(stored: event, mark: mark(of: digest, at: event.at))
        }
    }

    /// Returns the mark of the last of some events: eight hexadecimal digits that depend on all of them, and on its moment.
    ///
    /// After a failover, the same command may be given again, with the same events at a later moment.
    static func mark(of digest: EventDigest, at moment: Timestamp) -> String {
        var digest = digest
        digest.add(moment)
        return withUnsafeBytes(of: UInt32(truncatingIfNeeded: digest.value).bigEndian) { Array($0).hexadecimal }
    }
}
