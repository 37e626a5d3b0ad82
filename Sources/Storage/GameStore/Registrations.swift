public import Encodings
public import GameCore
import PostgresClient

/// The registration of a player by a request with an idempotency key.
public struct Registration: Sendable, Hashable {
    /// The player, whose row may not be stored yet.
    public let playerID: PlayerID
    /// SHA-256 of the request.
    ///
    /// Using the same key for another request is an error.
    public let requestHash: [UInt8]
    /// The random bytes from which, together with the key, the secrets of the response are derived.
    public let salt: [UInt8]

    /// Creates a registration.
    public init(playerID: PlayerID, requestHash: [UInt8], salt: [UInt8]) {
        self.playerID = playerID
        self.requestHash = requestHash
        self.salt = salt
    }
}

extension GameStore {
    /// Stores a registration, unless its key has one that has not expired.
    /// - Parameters:
    ///   - registration: the registration.
    ///   - keyHash: the SHA-256 of the key.
    ///   - now: the time by the store's clock.
    ///   - lifetime: how long a registration is kept.
    /// - Returns: the stored registration: the given one, or that of an earlier request.
    /// - Throws: `PostgresError`.
    public func claim(
        _ registration: Registration,
        keyHash: [UInt8],
        at now: Timestamp,
        livingFor lifetime: Duration
    ) async throws -> Registration {
        let claim = PostgresQuery(
            RegistrationStatements.claim,
            keyHash,
            registration.requestHash,
            registration.salt,
            registration.playerID,
            now.postgres,
            (now - lifetime).postgres
        )
        while true {
            if try await pool.query(claim).affectedRows == 1 { return registration }
            let found = try await pool.query(PostgresQuery(RegistrationStatements.read, keyHash)).first
            // Without a row, the registration was removed in between.
            guard let row = found else { continue }
            let (requestHash, salt, playerID) = try row.decode([UInt8].self, [UInt8].self, PlayerID.self)
            return Registration(playerID: playerID, requestHash: requestHash, salt: salt)
        }
    }

    /// Removes registrations made at a moment or earlier, the oldest first.
    /// - Parameters:
    ///   - moment: the latest time of a registration to remove.
    ///   - limit: the maximum number of registrations, which keeps the transaction short.
    /// - Returns: the number of removed registrations.
    /// - Throws: `PostgresError`.
    public func removeRegistrations(createdUntil moment: Timestamp, limit: Int) async throws -> Int {
        let keys = try await pool.query(
            PostgresQuery(RegistrationStatements.expired, moment.postgres, Int64(limit))
        ).map { try $0.decode([UInt8].self) }
        guard !keys.isEmpty else { return 0 }
        return try await pool.query(PostgresQuery(RegistrationStatements.remove, keys, moment.postgres)).affectedRows
    }
}

enum RegistrationStatements {
    /// Inserts a registration, replacing one that was made at `$6` or earlier.
    static let claim = Statement(
        "registration.claim",
        """
        INSERT INTO registrations AS r (key_hash, request_hash, salt, player_id, created_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (key_hash) DO UPDATE
        SET request_hash = excluded.request_hash, salt = excluded.salt, player_id = excluded.player_id,
            created_at = excluded.created_at
        WHERE r.created_at <= $6
        """
    )

    static let read = Statement(
        "registration.read",
        "SELECT request_hash, salt, player_id FROM registrations WHERE key_hash = $1"
    )

    /// Reads the keys of at most `$2` expired registrations, along the index on creation times.
    static let expired = Statement(
        "registration.expired",
        "SELECT key_hash FROM registrations WHERE created_at <= $1 ORDER BY created_at LIMIT $2"
    )

    /// Deletes registrations by primary key, unless they were made anew.
    static let remove = Statement(
        "registration.remove",
        "DELETE FROM registrations WHERE key_hash = ANY ($1) AND created_at <= $2"
    )
}
