import Cryptography
public import Encodings
import Foundation
public import GameCore
import PostgresClient

/// The stored response to an idempotent request.
public struct IdempotencyRecord: Sendable, Equatable {
    /// SHA-256 of the request.
    ///
    /// Using the same key for another request is an error.
    public let requestHash: [UInt8]
    /// The HTTP status of the response.
    public let status: Int
    /// The response body, JSON.
    public let body: String
    /// The version of the party in the body; nil if the body contains no party.
    public let partyVersion: Int64?

    /// Creates a record.
    public init(requestHash: [UInt8], status: Int, body: String, partyVersion: Int64?) {
        self.requestHash = requestHash
        self.status = status
        self.body = body
        self.partyVersion = partyVersion
    }
}

/// The owner of an idempotency key.
///
/// Different owners may use the same key.
public struct IdempotencyKeyOwner: Sendable, Hashable {
    /// The value of the column `player_id`.
    let id: PlayerID

    private init(id: PlayerID) { self.id = id }

    /// Creates the owner for a player.
    public static func player(_ id: PlayerID) -> Self { Self(id: id) }

    /// Creates the owner for an operator.
    ///
    /// Operators have no identifiers, so one is derived from the name: a UUID of version 8 (RFC 9562, section 5.8),
    /// which no player has.
    public static func `operator`(named name: String) -> Self {
        var bytes = Array(SHA256.digest(of: "idempotency keys of the operator \(name)").prefix(16))
        bytes[6] = 0x80 | (bytes[6] & 0x0f)
        bytes[8] = 0x80 | (bytes[8] & 0x3f)
        return Self(id: PlayerID(rawValue: UUID(bytes: bytes)))
    }
}

extension Shard {
    /// Derives the home of a new raid from the operator and an idempotency key, so that a repeated request derives the same.
    package static func ofNewRaid(by operatorName: String, key: String) -> Shard {
        Shard(rawValue: SHA256.digest(of: "raid by \(operatorName) and key \(key)")[0])
    }

    /// Derives the shard of a new party from its founder's secret and an idempotency key.
    ///
    /// A repeated request derives the same shard, and so finds the stored response there. Without the secret, a player
    /// cannot choose keys that lead to one shard, whose lock all writes there need.
    package static func ofNewParty(secret: [UInt8], key: String) -> Shard {
        Shard(rawValue: SHA256.digest(of: "party by secret \(secret.hexadecimal) and key \(key)")[0])
    }
}

extension ShardTransaction {
    /// Returns the record of a key; nil for a new key, and for a record that is as old as its lifetime.
    public func idempotencyRecord(
        for key: String,
        of owner: IdempotencyKeyOwner,
        livingFor lifetime: Duration
    ) async throws -> IdempotencyRecord? {
        let query = IdempotencyStatements.read(key, of: owner, in: shard, at: now, livingFor: lifetime)
        return try IdempotencyStatements.decode(try await connection.query(query))
    }

    /// Records the response to a request, in the transaction of its effects.
    /// - Parameters:
    ///   - record: the response.
    ///   - partyID: the party in the body, by which the erasure of a member finds the record; nil if there is none.
    ///   - key: the request's key.
    ///   - owner: the key's owner.
    public mutating func store(
        _ record: IdempotencyRecord,
        showing partyID: PartyID? = nil,
        for key: String,
        of owner: IdempotencyKeyOwner
    ) {
        writes.append(
            PostgresQuery(
                IdempotencyStatements.upsert,
                shard.column,
                owner.id,
                key,
                record.requestHash,
                Int16(record.status),
                record.body,
                record.partyVersion,
                now.postgres,
                partyID
            )
        )
    }
}

extension GameStore {
    /// Returns the record of a key; nil if there is none, or if it is as old as its lifetime by the database's clock.
    public func idempotencyRecord(
        for key: String,
        of owner: IdempotencyKeyOwner,
        in shard: Shard,
        livingFor lifetime: Duration
    ) async throws -> IdempotencyRecord? {
        let query = IdempotencyStatements.read(key, of: owner, in: shard, at: clock.now?(), livingFor: lifetime)
        return try IdempotencyStatements.decode(try await pool.query(query))
    }

    /// Returns the record of a request in any of some shards, for a request that no longer says which; nil if there is
    /// none, or if it is as old as its lifetime by the database's clock.
    public func idempotencyRecord(
        for key: String,
        requestHash: [UInt8],
        of owner: IdempotencyKeyOwner,
        among shards: [Shard],
        livingFor lifetime: Duration
    ) async throws -> IdempotencyRecord? {
        let query = PostgresQuery(
            IdempotencyStatements.find,
            shards.map(\.column),
            owner.id,
            key,
            clock.now?().postgres,
            lifetime.wholeMicroseconds,
            requestHash
        )
        return try IdempotencyStatements.decode(try await pool.query(query))
    }

    /// Deletes records created at a moment or earlier, oldest first.
    ///
    /// Needs no lock of the shard: the statement skips a record that is being replaced, and a transaction that replaces
    /// a record waits for its deletion.
    /// - Parameters:
    ///   - moment: the latest creation time to delete.
    ///   - shard: the shard.
    ///   - limit: the maximum number of records, which keeps the transaction short.
    /// - Returns: the number of deleted records.
    /// - Throws: `PostgresError`.
    public func removeIdempotencyRecords(createdUntil moment: Timestamp, in shard: Shard, limit: Int) async throws
        -> Int
    {
        let query = PostgresQuery(IdempotencyStatements.remove, shard.column, moment.postgres, Int64(limit))
        return try await pool.query(query).affectedRows
    }

    /// Deletes the oldest records of each owner with more than the maximum number.
    ///
    /// Counts only the records of owners who have created many lately, so that it need not read those of a whole day.
    /// - Parameters:
    ///   - maxRecords: the number of records that an owner keeps in the shard.
    ///   - recent: the number of records, created after a moment, beyond which an owner's records are counted.
    ///   - moment: the moment.
    ///   - shard: the shard.
    ///   - limit: the maximum number of records to delete, which keeps the transaction short.
    /// - Returns: the number of deleted records.
    /// - Throws: `PostgresError`.
    public func removeIdempotencyRecords(
        beyond maxRecords: Int,
        ofOwnersWith recent: Int,
        createdAfter moment: Timestamp,
        in shard: Shard,
        limit: Int
    ) async throws -> Int {
        let query = PostgresQuery(
            IdempotencyStatements.removeSurplus,
            shard.column,
            moment.postgres,
            Int64(recent),
            Int64(maxRecords),
            Int64(limit)
        )
        return try await pool.query(query).affectedRows
    }
}

enum IdempotencyStatements {
    /// Reads an unexpired record by primary key, at the time `$4` or the database's.
    static let read = Statement(
        "idempotency.read",
        """
        SELECT request_hash, status, body, party_version
        FROM idempotency_keys
        WHERE shard = $1 AND player_id = $2 AND key = $3
            AND created_at > coalesce($4, statement_timestamp()) - $5 * interval '1 microsecond'
        """
    )

    /// Reads the unexpired record of a request in several shards by primary key, as ``read`` does in one.
    static let find = Statement(
        "idempotency.find",
        """
        SELECT request_hash, status, body, party_version
        FROM idempotency_keys
        WHERE shard = ANY ($1) AND player_id = $2 AND key = $3
            AND created_at > coalesce($4, statement_timestamp()) - $5 * interval '1 microsecond'
            AND request_hash = $6
        LIMIT 1
        """
    )

    static func read(
        _ key: String,
        of owner: IdempotencyKeyOwner,
        in shard: Shard,
        at now: Timestamp?,
        livingFor lifetime: Duration
    ) -> PostgresQuery {
        PostgresQuery(read, shard.column, owner.id, key, now?.postgres, lifetime.wholeMicroseconds)
    }

    /// Inserts a record, replacing an expired one that is not deleted yet: the read under the same lock found none.
    static let upsert = Statement(
        "idempotency.upsert",
        """
        INSERT INTO idempotency_keys
            (shard, player_id, key, request_hash, status, body, party_version, created_at, party_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (shard, player_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
            party_version = excluded.party_version, created_at = excluded.created_at, party_id = excluded.party_id
        """
    )

    /// Deletes at most `$3` expired records along the index on creation times, skipping locked rows.
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

    /// Deletes at most `$5` of the records that are older than the newest `$4` of their owners, of those who have created
    /// more than `$3` since `$2`; skips locked rows.
    static let removeSurplus = Statement(
        "idempotency.removeSurplus",
        """
        DELETE FROM idempotency_keys
        WHERE shard = $1 AND (player_id, key) IN (
            SELECT s.player_id, s.key
            FROM idempotency_keys AS s
            WHERE s.shard = $1 AND (s.player_id, s.key) IN (
                SELECT r.player_id, r.key
                FROM (
                    SELECT k.player_id, k.key,
                        row_number() OVER (PARTITION BY k.player_id ORDER BY k.created_at DESC) AS number
                    FROM idempotency_keys AS k
                    WHERE k.shard = $1 AND k.player_id IN (
                        SELECT f.player_id
                        FROM idempotency_keys AS f
                        WHERE f.shard = $1 AND f.created_at > $2
                        GROUP BY f.player_id
                        HAVING count(*) > $3
                    )
                ) AS r
                WHERE r.number > $4
            )
            LIMIT $5
            FOR UPDATE SKIP LOCKED
        )
        """
    )

    static func decode(_ rows: PostgresRows) throws -> IdempotencyRecord? {
        try rows.first.map { row in
            let (hash, status, body, version) = try row.decode([UInt8].self, Int16.self, String.self, Int64?.self)
            return IdempotencyRecord(requestHash: hash, status: Int(status), body: body, partyVersion: version)
        }
    }
}
