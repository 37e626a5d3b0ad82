public import Encodings
import Foundation
import GameCore
public import PostgresClient

/// Someone who runs the game.
public struct Operator: Sendable {
    /// What an operator may do.
    public enum Role: String, Codable, Sendable, CaseIterable {
        /// Everything.
        case admin
        /// Look.
        case viewer
    }

    /// Unique; shown in lists.
    public let name: String
    /// What this operator may do.
    public let role: Role
    /// When the operator was created.
    public let createdAt: Timestamp
    /// From when on the token is good no more, nil when it is good until it is revoked.
    public let expiresAt: Timestamp?
    /// When the token was revoked, nil when it was not.
    public let revokedAt: Timestamp?

    /// Whether the token's time is over at a moment.
    public func isExpired(at moment: Timestamp) -> Bool { expiresAt.map { $0 <= moment } ?? false }
}

extension Operator.Role: PostgresEncodable, PostgresDecodable {}

extension GameStore {
    /// Stores a new operator and the hash of the operator's token, and records it in the audit log; the name of one whose
    /// token was revoked or has expired may be used again.
    /// - Parameters:
    ///   - name: unique among operators with a good token.
    ///   - role: what the operator may do.
    ///   - expiry: from when on the token is good no more, nil for never.
    ///   - tokenHash: SHA-256 of the token.
    ///   - now: the clock.
    ///   - author: who creates the operator.
    /// - Returns: false when an operator with a good token has the name.
    /// - Throws: `PostgresError`.
    public func create(
        operator name: String,
        role: Operator.Role,
        expiresAt expiry: Timestamp? = nil,
        tokenHash: [UInt8],
        at now: @autoclosure () -> Timestamp,
        by author: AuditAuthor
    ) async throws -> Bool {
        try await withShard(.forOperators, at: now()) { transaction in
            let before = try await transaction.operatorNamed(name)
            if let before, before.revokedAt == nil, !before.isExpired(at: transaction.now) { return false }
            transaction.upsert(operator: name, role: role, expiresAt: expiry, tokenHash: tokenHash)
            transaction.audit(
                AuditChange(
                    .operatorCreate,
                    of: "operator/\(name)",
                    before: before.map { ["role": $0.role.rawValue] },
                    after: Self.facts(role, expiresAt: expiry),
                    by: author
                )
            )
            return true
        }
    }

    /// Gives an operator a new token, by its hash, and records it in the audit log; the one before is worthless from then on.
    /// - Parameters:
    ///   - name: whose token was not revoked; it may have expired.
    ///   - expiry: from when on the new token is good no more, nil for never.
    ///   - tokenHash: SHA-256 of the new token.
    ///   - now: the clock.
    ///   - author: who does it.
    /// - Returns: what the operator may do, as before; nil when no operator has that name whose token was not revoked.
    /// - Throws: `PostgresError`.
    public func rotate(
        operator name: String,
        expiresAt expiry: Timestamp? = nil,
        tokenHash: [UInt8],
        at now: @autoclosure () -> Timestamp,
        by author: AuditAuthor
    ) async throws -> Operator.Role? {
        try await withShard(.forOperators, at: now()) { transaction in
            guard let before = try await transaction.operatorNamed(name), before.revokedAt == nil else { return nil }
            transaction.upsert(operator: name, role: before.role, expiresAt: expiry, tokenHash: tokenHash)
            transaction.audit(
                AuditChange(
                    .operatorRotate,
                    of: "operator/\(name)",
                    before: Self.facts(before.role, expiresAt: before.expiresAt),
                    after: Self.facts(before.role, expiresAt: expiry),
                    by: author
                )
            )
            return before.role
        }
    }

    private static func facts(_ role: Operator.Role, expiresAt expiry: Timestamp?) -> [String: String] {
        var facts = ["role": role.rawValue]
        facts["expiresAt"] = expiry?.rfc3339(fractionDigits: 0)
        return facts
    }

    /// Makes an operator's token worthless from now on, and records it in the audit log.
    /// - Returns: false when no operator has that name whose token was not revoked.
    public func revoke(
        operator name: String,
        at now: @autoclosure () -> Timestamp,
        by author: AuditAuthor
    ) async throws -> Bool {
        try await withShard(.forOperators, at: now()) { transaction in
            guard let before = try await transaction.operatorNamed(name), before.revokedAt == nil else { return false }
            transaction.writes.append(PostgresQuery(OperatorStatements.revoke, name, transaction.now.postgres))
            transaction.audit(
                AuditChange(
                    .operatorRevoke,
                    of: "operator/\(name)",
                    before: ["role": before.role.rawValue],
                    by: author
                )
            )
            return true
        }
    }

    /// Every operator, by name.
    public func operators() async throws -> [Operator] {
        try await pool.query(PostgresQuery(OperatorStatements.list)).map(OperatorStatements.decode)
    }

    /// The operator to whom a token belongs, by its SHA-256; nil when it is nobody's or was revoked.
    ///
    /// The token may have expired: its holder is to hear of it.
    public func operatorWith(tokenHash: [UInt8]) async throws -> Operator? {
        try await pool.query(PostgresQuery(OperatorStatements.find, tokenHash)).first.map(OperatorStatements.decode)
    }
}

extension ShardTransaction {
    /// The operator of that name, whatever has become of the token.
    fileprivate func operatorNamed(_ name: String) async throws -> Operator? {
        precondition(shard == .forOperators, "operators are changed under the lock of one shard")
        return try await connection.query(PostgresQuery(OperatorStatements.named, name)).first
            .map(OperatorStatements.decode)
    }

    fileprivate mutating func upsert(
        operator name: String,
        role: Operator.Role,
        expiresAt expiry: Timestamp?,
        tokenHash: [UInt8]
    ) {
        writes.append(PostgresQuery(OperatorStatements.upsert, name, role, tokenHash, now.postgres, expiry?.postgres))
    }
}

enum OperatorStatements {
    private static let columns = "name, role, created_at, expires_at, revoked_at"

    static let upsert = Statement(
        "operator.upsert",
        """
        INSERT INTO operators (name, role, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (name) DO UPDATE
        SET role = excluded.role,
            token_hash = excluded.token_hash,
            created_at = excluded.created_at,
            expires_at = excluded.expires_at,
            revoked_at = NULL
        """
    )

    static let named = Statement("operator.named", "SELECT \(columns) FROM operators WHERE name = $1")

    static let revoke = Statement(
        "operator.revoke",
        "UPDATE operators SET revoked_at = $2 WHERE name = $1 AND revoked_at IS NULL"
    )

    static let list = Statement("operator.list", "SELECT \(columns) FROM operators ORDER BY name")

    static let find = Statement(
        "operator.find",
        "SELECT \(columns) FROM operators WHERE token_hash = $1 AND revoked_at IS NULL"
    )

    static func decode(_ row: PostgresRow) throws -> Operator {
        let (name, role, createdAt, expiresAt, revokedAt) = try row.decode(
            String.self,
            Operator.Role.self,
            PostgresTimestamp.self,
            PostgresTimestamp?.self,
            PostgresTimestamp?.self
        )
        return Operator(
            name: name,
            role: role,
            createdAt: Timestamp(createdAt),
            expiresAt: expiresAt.map { Timestamp($0) },
            revokedAt: revokedAt.map { Timestamp($0) }
        )
    }
}
