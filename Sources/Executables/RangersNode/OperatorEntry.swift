import CommandLineSupport
import Encodings
import GameStore

extension OperatorEntry {
    /// Creates an entry of the list of `rangersd operator list`.
    init(_ entry: Operator, at now: Timestamp) {
        self.init(
            name: entry.name,
            role: entry.role.rawValue,
            createdAt: Self.date(entry.createdAt),
            expiresAt: entry.expiresAt.map(Self.date),
            isExpired: entry.isExpired(at: now),
            revokedAt: entry.revokedAt.map(Self.date)
        )
    }

    /// Returns a time in RFC 3339, to the second.
    static func date(_ timestamp: Timestamp) -> String {
        timestamp.rfc3339(fractionDigits: 0)
    }
}
