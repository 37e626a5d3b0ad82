import Encodings
import GameCore
import GameStore
import Synchronization

/// Operators whom the database let in lately, for the one question that is asked when the database is away: what is wrong.
///
/// Only tokens' digests are kept, few of them, and not for long: a token that is revoked while the database is away is good
/// for nothing but looking at that, and on nodes that have seen it before.
final class RecentOperators: Sendable {
    /// For how long somebody is remembered.
    static let lifetime = Duration.seconds(60 * 60)
    /// How many are; more are not on duty at once.
    static let capacity = 64

    private struct Entry {
        let caller: Operator
        let seenAt: Timestamp
    }

    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// Remembers somebody whom the database knows.
    func remember(_ caller: Operator, tokenHash: [UInt8], at now: Timestamp) {
        entries.withLock { entries in
            entries[tokenHash] = Entry(caller: caller, seenAt: now)
            guard entries.count > Self.capacity else { return }
            let oldest = entries.min { ($0.value.seenAt, $0.key.description) < ($1.value.seenAt, $1.key.description) }
            if let oldest { entries[oldest.key] = nil }
        }
    }

    /// Forgets somebody whom the database does not know, or no more.
    func forget(tokenHash: [UInt8]) {
        entries.withLock { $0[tokenHash] = nil }
    }

    /// Who has the token, if it was good lately and its time is not over.
    func operatorWith(tokenHash: [UInt8], at now: Timestamp) -> Operator? {
        entries.withLock { entries in
            guard let entry = entries[tokenHash], now - entry.seenAt <= Self.lifetime,
                !entry.caller.isExpired(at: now)
            else { return nil }
            return entry.caller
        }
    }
}
