import Cryptography
public import Encodings
import Foundation
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
    /// The version of the party that the body shows; nil when it shows none.
    public let partyVersion: Int64?

    /// An answer to keep.
    public init(requestHash: [UInt8], status: Int, body: String, partyVersion: Int64?) {
        self.requestHash = requestHash
        self.status = status
        self.body = body
        self.partyVersion = partyVersion
    }
}

/// Whose an idempotency key is: what one has used is free to all others.
public struct KeyHolder: Sendable, Hashable {
    /// What stands in the column `player_id`.
    let id: PlayerID

    private init(id: PlayerID) { self.id = id }

    /// A player.
    public static func player(_ id: PlayerID) -> Self { Self(id: id) }

    /// An operator, by name.
    ///
    /// Operators have no identifiers, so theirs is made of the name: a UUID of version 8 (RFC 9562, section 5.8), which no
    /// player's is.
    public static func `operator`(named name: String) -> Self {
        var bytes = Array(SHA256.digest(of: "idempotency keys of the operator \(name)").prefix(16))
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        return Self(id: PlayerID(rawValue: UUID(bytes: bytes)))
    }
}

extension ShardTransaction {
    /// What was answered to somebody's request with this key after a moment, nil when it is new.
    public func answer(to key: String, of holder: KeyHolder, after moment: Timestamp) async throws -> KeptAnswer? {
        let query = PostgresQuery(IdempotencyStatements.read, shard.column, holder.id, key, moment.postgres)
        return try IdempotencyStatements.decode(try await connection.query(query))
    }

    /// Keeps the answer to somebody's request with this key, in the same transaction as its effect.
    public mutating func keep(_ answer: KeptAnswer, to key: String, of holder: KeyHolder) {
        writes.append(
            PostgresQuery(
                IdempotencyStatements.keep,
                shard.column,
                holder.id,
                key,
                answer.requestHash,
                Int16(answer.status),
                answer.body,
                answer.partyVersion,
                now.postgres
            )
        )
    }
}

extension GameStore {
    /// What was answered to somebody's request with this key after a moment, nil when nothing was yet.
    public func answer(
        to key: String,
        of holder: KeyHolder,
        in shard: Shard,
        after moment: Timestamp
    ) async throws -> KeptAnswer? {
        let query = PostgresQuery(IdempotencyStatements.read, shard.column, holder.id, key, moment.postgres)
        return try IdempotencyStatements.decode(try await pool.query(query))
    }

    /// Removes answers that were kept at a moment or before it, the oldest first.
    ///
    /// Needs no lock of the shard: an answer that is being replaced is left out, and one that is being removed is
    /// waited for by whoever replaces it.
    /// - Parameters:
    ///   - moment: until when they were kept.
    ///   - shard: where.
    ///   - limit: how many at most, so that the transaction stays short.
    /// - Returns: how many were removed.
    /// - Throws: `PostgresError`.
    public func removeAnswers(keptUntil moment: Timestamp, in shard: Shard, atMost limit: Int) async throws -> Int {
        let query = PostgresQuery(IdempotencyStatements.remove, shard.column, moment.postgres, Int64(limit))
        return try await pool.query(query).affectedRows
    }
}

enum IdempotencyStatements {
    static let read = Statement(
        "idempotency.read",
        """
        SELECT request_hash, status, answer, party_version
        FROM idempotency_keys
        WHERE shard = $1 AND player_id = $2 AND key = $3 AND created_at > $4
        """
    )

    // What it meets has expired and is not removed yet, since the read came first, under the same lock.
    static let keep = Statement(
        "idempotency.keep",
        """
        INSERT INTO idempotency_keys (shard, player_id, key, request_hash, status, answer, party_version, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (shard, player_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, status = excluded.status, answer = excluded.answer,
            party_version = excluded.party_version, created_at = excluded.created_at
        """
    )

    static let remove = Statement(
        "idempotency.remove",
        """
        DELETE FROM idempotency_keys
        WHERE shard = $1 AND (player_id, key) IN (
            SELECT player_id, key
            FROM idempotency_keys
            WHERE shard = $1 AND created_at <= $2
            ORDER BY created_at
            LIMIT $3
            FOR UPDATE SKIP LOCKED
        )
        """
    )

    static func decode(_ rows: PostgresRows) throws -> KeptAnswer? {
        try rows.first.map { row in
            let (hash, status, body, version) = try row.decode([UInt8].self, Int16.self, String.self, Int64?.self)
            return KeptAnswer(requestHash: hash, status: Int(status), body: body, partyVersion: version)
        }
    }
}
