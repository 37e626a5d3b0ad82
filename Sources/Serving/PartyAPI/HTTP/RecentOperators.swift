import Encodings
import GameCore
import GameStore
import Synchronization

/// Operators whom the database has authenticated recently.
///
/// They can diagnose a fault while the database is down.
///
/// It holds a few hashes of tokens for a limited time. A token that is revoked during an outage stays valid until the
/// end of the outage, but only for the diagnosis, and only on nodes that have recently accepted it.
final class RecentOperators: Sendable {
    /// The time for which an operator is kept.
    static let lifetime = Duration.seconds(60 * 60)
    /// The maximum number of operators: more than are on duty at once.
    static let capacity = 64

    private struct Entry {
        let caller: Operator
        let seenAt: Timestamp
    }

    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// Adds an operator whom the database has just authenticated.
    func insert(_ caller: Operator, tokenHash: [UInt8], at now: Timestamp) {
        entries.withLock { entries in
            entries[tokenHash] = Entry(caller: caller, seenAt: now)
            guard entries.count > Self.capacity else { return }
            let oldest = entries.min { ($0.value.seenAt, $0.key.description) < ($1.value.seenAt, $1.key.description) }
            if let oldest { entries[oldest.key] = nil }
        }
    }

    /// Removes a token that the database does not know.
    func remove(tokenHash: [UInt8]) {
        entries.withLock { $0[tokenHash] = nil }
    }

    /// Returns the operator with a token; nil if the token is unknown, expired or was last seen too long ago.
    func operatorWith(tokenHash: [UInt8], at now: Timestamp) -> Operator? {
        entries.withLock { entries in
            guard let entry = entries[tokenHash], now - entry.seenAt <= Self.lifetime,
                !entry.caller.isExpired(at: now)
            else { return nil }
            return entry.caller
        }
    }
}
