public import GameCore
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
    /// When the token was revoked, nil while it is good.
    public let revokedAt: Timestamp?
}

extension Operator.Role: PostgresEncodable, PostgresDecodable {}

extension GameStore {
    /// Stores a new operator and the hash of the operator's token; the name of a revoked one may be used again.
    /// - Returns: false when an operator with a good token has the name.
    public func create(
        operator name: String,
        role: Operator.Role,
        tokenHash: [UInt8],
        at now: Timestamp
    ) async throws -> Bool {
        try await pool.query(
            PostgresQuery(OperatorStatements.insert, name, role, tokenHash, now.postgres)
        ).affectedRows == 1
    }

    /// Makes an operator's token worthless from now on.
    /// - Returns: false when no operator with a good token has that name.
    public func revoke(operator name: String, at now: Timestamp) async throws -> Bool {
        try await pool.query(PostgresQuery(OperatorStatements.revoke, name, now.postgres)).affectedRows == 1
    }

    /// Every operator, by name.
    public func operators() async throws -> [Operator] {
        try await pool.query(PostgresQuery(OperatorStatements.list)).map(OperatorStatements.decode)
    }

    /// The operator to whom a token belongs, by its SHA-256; nil when it is nobody's or was revoked.
    public func operatorWith(tokenHash: [UInt8]) async throws -> Operator? {
        try await pool.query(PostgresQuery(OperatorStatements.find, tokenHash)).first.map(OperatorStatements.decode)
    }
}

enum OperatorStatements {
    private static let columns = "name, role, created_at, revoked_at"

    static let insert = Statement(
        "operator.insert",
        """
        INSERT INTO operators (name, role, token_hash, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (name) DO UPDATE
        SET role = excluded.role, token_hash = excluded.token_hash, created_at = excluded.created_at, revoked_at = NULL
        WHERE operators.revoked_at IS NOT NULL
        """
    )

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
        let (name, role, createdAt, revokedAt) = try row.decode(
            String.self,
            Operator.Role.self,
            PostgresTimestamp.self,
            PostgresTimestamp?.self
        )
        return Operator(
            name: name,
            role: role,
            createdAt: Timestamp(createdAt),
            revokedAt: revokedAt.map { Timestamp($0) }
        )
    }
}
