import Foundation
import GameCore
import GameStore
import RangersCommandLine

/// An operator in a list.
struct OperatorEntry: Encodable {
    let name: String
    let role: Operator.Role
    let createdAt: String
    let revokedAt: String?

    init(_ entry: Operator) {
        name = entry.name
        role = entry.role
        createdAt = Self.date(entry.createdAt)
        revokedAt = entry.revokedAt.map(Self.date)
    }

    static func table(_ entries: [Self]) -> Table {
        Table(
            [Table.Column("NAME"), Table.Column("ROLE"), Table.Column("CREATED"), Table.Column("REVOKED")],
            rows: entries.map { [$0.name, $0.role.rawValue, $0.createdAt, $0.revokedAt ?? ""] }
        )
    }

    private static func date(_ moment: Timestamp) -> String {
        Date(timeIntervalSince1970: TimeInterval(moment.epochSeconds)).formatted(.iso8601)
    }
}
