import CommandLineSupport
import Encodings
import Foundation
import GameCore
import GameStore

/// An operator in the list of `rangersd operator list`.
struct OperatorEntry: Encodable {
    let name: String
    let role: Operator.Role
    let createdAt: String
    let expiresAt: String?
    let isExpired: Bool
    let revokedAt: String?

    init(_ entry: Operator, at now: Timestamp) {
        name = entry.name
        role = entry.role
        createdAt = Self.date(entry.createdAt)
        expiresAt = entry.expiresAt.map(Self.date)
        isExpired = entry.isExpired(at: now)
        revokedAt = entry.revokedAt.map(Self.date)
    }

    static func table(_ entries: [Self]) -> Table {
        Table(
            [.whole("NAME"), .init("ROLE"), .whole("CREATED"), .whole("EXPIRES"), .whole("REVOKED")],
            rows: entries.map { entry in
                [
                    entry.name, entry.role.rawValue, entry.createdAt,
                    entry.expiresAt.map { $0 + (entry.isExpired ? " (expired)" : "") } ?? "never",
                    entry.revokedAt ?? "",
                ]
            }
        )
    }

    static func date(_ timestamp: Timestamp) -> String {
        timestamp.rfc3339(fractionDigits: 0)
    }
}
