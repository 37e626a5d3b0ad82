public import GameCore
import PostgresClient

/// The answer to a write, kept with its effect.
public struct KeptAnswer: Sendable, Equatable {
    /// SHA-256 of what was asked: the same key with another request is a mistake.
    public let requestHash: [UInt8]
    /// The HTTP status.
    public let status: Int
    /// The body, JSON.
    public let body: String

    /// An answer to keep.
    public init(requestHash: [UInt8], status: Int, body: String) {
        self.requestHash = requestHash
        self.status = status
        self.body = body
    }
}

extension ShardTransaction {
    /// What was answered to a player's request with this key, nil when it is new.
    public func answer(to key: String, of playerID: PlayerID) async throws -> KeptAnswer? {
        let rows = try await connection.query(
            PostgresQuery(IdempotencyStatements.read, shard.column, playerID, key)
        )
        return try rows.first.map { row in
            let (hash, status, body) = try row.decode([UInt8].self, Int16.self, String.self)
            return KeptAnswer(requestHash: hash, status: Int(status), body: body)
        }
    }

    /// Keeps the answer to a player's request with this key, in the same transaction as its effect.
    public mutating func keep(_ answer: KeptAnswer, to key: String, of playerID: PlayerID) {
        writes.append(
            PostgresQuery(
                IdempotencyStatements.keep,
                shard.column,
                playerID,
                key,
                answer.requestHash,
                Int16(answer.status),
                answer.body,
                now.postgres
            )
        )
    }
}

enum IdempotencyStatements {
    static let read = Statement(
        "idempotency.read",
        "SELECT request_hash, status, answer FROM idempotency_keys WHERE shard = $1 AND player_id = $2 AND key = $3"
    )

    static let keep = Statement(
        "idempotency.keep",
        """
        INSERT INTO idempotency_keys (shard, player_id, key, request_hash, status, answer, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """
    )
}
