public import Encodings
import Foundation
import GameCore
public import PostgresClient

/// A person who operates the game.
public struct Operator: Sendable {
    /// The permissions of an operator.
    public enum Role: String, Codable, Sendable, CaseIterable {
        /// May read and change.
        case admin
        /// May read.
        case viewer
    }

    /// The lifetime of a token that replaces another one.
    public enum ReplacementLifetime: Sendable {
        /// The token is valid as long as the previous one was when it was issued.
        case unchanged
        /// The token does not expire.
        case unlimited
        /// The token is valid for this time.
        case limited(Duration)
    }

    /// The unique name.
    public let name: String
    /// The role.
    public let role: Role
    /// When the operator got the token.
    public let createdAt: Timestamp
    /// When the token expires; nil if it does not expire.
    public let expiresAt: Timestamp?
    /// When the token was revoked; nil if it was not.
    public let revokedAt: Timestamp?

    /// Returns whether the token has expired at a moment.
    public func isExpired(at moment: Timestamp) -> Bool { expiresAt.map { $0 <= moment } ?? false }

    /// Returns whether the operator is an admin with a valid token.
    fileprivate func isValidAdmin(at moment: Timestamp) -> Bool {
        role == .admin && revokedAt == nil && !isExpired(at: moment)
    }

    fileprivate func revoked(at moment: Timestamp) -> Self {
        Self(name: name, role: role, createdAt: createdAt, expiresAt: expiresAt, revokedAt: moment)
    }
}

/// The result of revoking an operator's token.
public enum OperatorRevocation: Sendable {
    /// The token was revoked.
    case revoked(Operator)
    /// The token was revoked before.
    case alreadyRevoked(Operator)
    /// No operator has the name.
    case unknownOperator
    /// The operator is the only admin with a valid token.
    case lastAdmin
}

extension Operator.Role: PostgresEncodable, PostgresDecodable {}

extension GameStore {
    /// Stores a new operator with the hash of its token, and records it in the audit log.
    ///
    /// A name may be reused if its token was revoked or has expired.
    /// - Parameters:
    ///   - name: the name, unique among operators with a valid token.
    ///   - role: the operator's role.
    ///   - expiry: when the token expires; nil for never.
    ///   - tokenHash: SHA-256 of the token.
    ///   - author: the author of the change.
    /// - Returns: whether the operator was stored; false if an operator with a valid token has the name.
    /// - Throws: `PostgresError`.
    public func create(
        operator name: String,
        role: Operator.Role,
        expiresAt expiry: Timestamp? = nil,
        tokenHash: [UInt8],
        by author: AuditAuthor
    ) async throws -> Bool {
        try await withAuditLog { transaction in
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

    /// Replaces an operator's token and records it in the audit log.
    ///
    /// The previous token becomes invalid.
    /// - Parameters:
    ///   - name: the operator. The token must not be revoked; it may have expired.
    ///   - lifetime: the lifetime of the new token.
    ///   - tokenHash: SHA-256 of the new token.
    ///   - author: the author of the change.
    /// - Returns: the operator with the new token; nil if no operator with an unrevoked token has the name.
    /// - Throws: `PostgresError`.
    public func rotate(
        operator name: String,
        lifetime: Operator.ReplacementLifetime = .unchanged,
        tokenHash: [UInt8],
        by author: AuditAuthor
    ) async throws -> Operator? {
        try await withAuditLog { transaction in
            guard let before = try await transaction.operatorNamed(name), before.revokedAt == nil else { return nil }
            let now = transaction.now
            let expiry: Timestamp? =
                switch lifetime {
                case .unchanged: before.expiresAt.map { now + ($0 - before.createdAt) }
                case .unlimited: nil
                case .limited(let duration): now + duration
                }
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
            return Operator(name: name, role: before.role, createdAt: now, expiresAt: expiry, revokedAt: nil)
        }
    }

    private static func facts(_ role: Operator.Role, expiresAt expiry: Timestamp?) -> [String: String] {
        var facts = ["role": role.rawValue]
        facts["expiresAt"] = expiry?.rfc3339(fractionDigits: 0)
        return facts
    }

    /// Revokes an operator's token and records it in the audit log.
    /// - Parameters:
    ///   - name: the operator.
    ///   - keepsLastAdmin: whether to refuse to revoke the only valid token of an admin.
    ///   - author: the author of the change.
    /// - Returns: the result; only ``OperatorRevocation/revoked(_:)`` is a change.
    /// - Throws: `PostgresError`.
    public func revoke(
        operator name: String,
        keepingLastAdmin keepsLastAdmin: Bool = false,
        by author: AuditAuthor
    ) async throws -> OperatorRevocation {
        try await withAuditLog { transaction in
            guard let before = try await transaction.operatorNamed(name) else { return .unknownOperator }
            guard before.revokedAt == nil else { return .alreadyRevoked(before) }
            if keepsLastAdmin, before.isValidAdmin(at: transaction.now) {
                let operators = try await transaction.operators()
                guard operators.contains(where: { $0.name != name && $0.isValidAdmin(at: transaction.now) }) else {
                    return .lastAdmin
                }
            }
            transaction.writes.append(PostgresQuery(OperatorStatements.revoke, name, transaction.now.postgres))
            transaction.audit(
                AuditChange(
                    .operatorRevoke,
                    of: "operator/\(name)",
                    before: ["role": before.role.rawValue],
                    by: author
                )
            )
            return .revoked(before.revoked(at: transaction.now))
        }
    }

    /// Returns all operators, by name.
    public func operators() async throws -> [Operator] {
        try await pool.query(PostgresQuery(OperatorStatements.list)).map(OperatorStatements.decode)
    }

    /// Returns the operator with an unrevoked token, by the token's SHA-256; nil if there is none.
    ///
    /// The token may have expired, so that the caller can report the expiry.
    public func operatorWith(tokenHash: [UInt8]) async throws -> Operator? {
        try await pool.query(PostgresQuery(OperatorStatements.find, tokenHash)).first.map(OperatorStatements.decode)
    }
}

extension ShardTransaction {
    /// Returns the operator with a name, whatever the state of its token.
    fileprivate func operatorNamed(_ name: String) async throws -> Operator? {
        precondition(shard == .forOperators, "operators change under the lock of shard \(Shard.forOperators.rawValue)")
        return try await connection.query(PostgresQuery(OperatorStatements.named, name)).first
            .map(OperatorStatements.decode)
    }

    /// Returns all operators.
    fileprivate func operators() async throws -> [Operator] {
        try await connection.query(PostgresQuery(OperatorStatements.list)).map(OperatorStatements.decode)
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

    /// Inserts an operator, or replaces role and token, by primary key.
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

    /// Reads an operator by primary key.
    static let named = Statement("operator.named", "SELECT \(columns) FROM operators WHERE name = $1")

    static let revoke = Statement(
        "operator.revoke",
        "UPDATE operators SET revoked_at = $2 WHERE name = $1 AND revoked_at IS NULL"
    )

    static let list = Statement("operator.list", "SELECT \(columns) FROM operators ORDER BY name")

    /// Reads an operator through the unique index on token hashes.
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
