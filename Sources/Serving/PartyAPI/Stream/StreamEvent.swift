import Encodings
import GameCore
import GameLog

/// An event of a stream, with the identifier from which clients resume.
struct StreamEvent {
    let stored: StoredEvent
    /// The digest of all events up to and including this one.
    let digest: EventDigest

    /// Its sequence, and the digest of what came before it: clients that saw another history are recognised.
    var id: String { "\(stored.sequence)-\(digest.mark)" }

    /// Returns events with the running digest, which afterwards includes them.
    static func sequence(of events: [StoredEvent], after digest: inout EventDigest) -> [Self] {
        events.map { event in
            digest.add(event.event)
            return Self(stored: event, digest: digest)
        }
    }
}

extension EventDigest {
    /// The digest in an identifier: its lower half, with eight hexadecimal digits.
    var mark: String { withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Array($0).hexadecimal } }
}
