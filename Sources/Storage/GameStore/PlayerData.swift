public import Encodings
public import GameCore
public import GameLog
import PostgresClient

/// A player's idempotency key, without the response, which the player has received.
public struct StoredIdempotencyKey: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The HTTP status of the stored response.
    public let status: Int
    /// When the response was stored.
    public let at: Timestamp
}

/// An input of a player or operator to an adventure.
public struct RecordedInput: Sendable {
    /// When the input arrived.
    public let at: Timestamp
    /// The input.
    public let input: AdventureInput
}

/// A player's stored push-to-start record, which remains after the token is removed.
public struct StoredPushToStart: Sendable {
    /// The bytes of the token; nil after its removal.
    public let pushToken: [UInt8]?
    /// The APNs environment of the token.
    public let environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled` when the token was registered.
    public let frequentPushesEnabled: Bool
    /// The starts of the last day, oldest first.
    public let starts: [PushToStartRecord.Start]
}

// The stored data of one player, for the player's data export.

extension GameStore {
    /// Returns when a player registered; nil if there is no such player.
    public func registrationTime(of playerID: PlayerID) async throws -> Timestamp? {
        let query = PostgresQuery(PlayerDataStatements.registration, playerID.shard.column, playerID)
        return try await pool.query(query).first.map { Timestamp(try $0.decode(PostgresTimestamp.self)) }
    }

    /// Returns when each of a player's tokens was issued.
    public func tokenTimes(of playerID: PlayerID) async throws -> [Timestamp] {
        try await pool.query(PostgresQuery(PlayerDataStatements.tokens, playerID)).map {
            Timestamp(try $0.decode(PostgresTimestamp.self))
        }
    }

    /// Returns a player's push-to-start record; nil if a token was never registered.
    public func storedPushToStart(of playerID: PlayerID) async throws -> StoredPushToStart? {
        try await pool.query(PostgresQuery(PlayerDataStatements.pushToStart, playerID)).first.map { row in
            let (pushToken, environment, frequent, moments, adventures) = try row.decode(
                [UInt8]?.self,
                PushEnvironment.self,
                Bool.self,
                [PostgresTimestamp].self,
                [AdventureID].self
            )
            return StoredPushToStart(
                pushToken: pushToken,
                environment: environment,
                frequentPushesEnabled: frequent,
                starts: zip(adventures, moments).map { .init(adventureID: $0, at: Timestamp($1)) }
            )
        }
    }

    /// Returns the adventures of a party in the order of their identifiers, which is the order of their starts.
    public func adventureIDs(of partyID: PartyID) async throws -> [AdventureID] {
        try await pool.query(PostgresQuery(PlayerDataStatements.adventures, partyID.shard.column, partyID))
            .map { try $0.decode(AdventureID.self) }
    }

    /// Returns the recorded inputs of an adventure, in order.
    ///
    /// Ticks are not recorded.
    public func inputs(of adventureID: AdventureID) async throws -> [RecordedInput] {
        let query = PostgresQuery(PlayerDataStatements.inputs, adventureID.shard.column, adventureID)
        return try await pool.query(query).map { row in
            let (at, body) = try row.decode(PostgresTimestamp.self, String.self)
            do throws(AdventureDecodingError) {
                return RecordedInput(at: Timestamp(at), input: try LogCoding.input(body))
            } catch {
                throw StoreError.undecodable(table: "adventures", id: adventureID.description, reason: error.reason)
            }
        }
    }

    /// Returns all of a player's activities in a shard, whatever their state.
    public func activities(of playerID: PlayerID, in shard: Shard) async throws -> [Activity] {
        try await pool.query(PostgresQuery(ActivityStatements.ofPlayer, shard.column, playerID))
            .map(ActivityStatements.decode)
    }

    /// Returns a player's stored idempotency keys in a shard.
    public func idempotencyKeys(of playerID: PlayerID, in shard: Shard) async throws -> [StoredIdempotencyKey] {
        try await pool.query(PostgresQuery(PlayerDataStatements.keys, shard.column, playerID)).map { row in
            let (key, status, at) = try row.decode(String.self, Int16.self, PostgresTimestamp.self)
            return StoredIdempotencyKey(key: key, status: Int(status), at: Timestamp(at))
        }
    }
}

enum PlayerDataStatements {
    static let registration = Statement(
        "playerData.registration",
        "SELECT created_at FROM players WHERE shard = $1 AND player_id = $2"
    )

    static let tokens = Statement(
        "playerData.tokens",
        "SELECT created_at FROM player_tokens WHERE player_id = $1 ORDER BY created_at"
    )

    static let pushToStart = Statement(
        "playerData.pushToStart",
        """
        SELECT push_token, environment, frequent_pushes, started_at, started_adventures
        FROM push_to_start
        WHERE player_id = $1
        """
    )

    /// Reads a party's adventures through the index on parties.
    static let adventures = Statement(
        "playerData.adventures",
        "SELECT adventure_id FROM adventures WHERE shard = $1 AND party_id = $2 ORDER BY adventure_id"
    )

    /// Reads an adventure's inputs through their partial index.
    static let inputs = Statement(
        "playerData.inputs",
        """
        SELECT at, body FROM log WHERE shard = $1 AND adventure_id = $2 AND kind = 'input' ORDER BY position
        """
    )

    /// Reads a player's idempotency keys along the primary key.
    static let keys = Statement(
        "playerData.keys",
        """
        SELECT key, status, created_at FROM idempotency_keys WHERE shard = $1 AND player_id = $2 ORDER BY created_at, key
        """
    )
}
