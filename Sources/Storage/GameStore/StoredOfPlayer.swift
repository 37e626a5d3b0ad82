public import Encodings
public import GameCore
import PostgresClient

/// An idempotency key of a player, without the answer: that is one that the player has seen.
public struct UsedKey: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The HTTP status of the kept answer.
    public let status: Int
    /// When it was kept.
    public let at: Timestamp
}

/// An input of a player into an adventure.
public struct PlayedInput: Sendable {
    /// The adventure's tick at which it came.
    public let tick: Int
    /// When it came.
    public let at: Timestamp
    /// What it was.
    public let input: Input
}

/// What is kept of a player's push-to-start token, after it was forgotten too.
public struct KeptPushToStart: Sendable {
    /// The bytes of the token; nil once it was forgotten.
    public let pushToken: [UInt8]?
    /// Where it is valid.
    public let environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled` when it was registered.
    public let frequentPushesEnabled: Bool
    /// The starts of the last day, oldest first.
    public let starts: [PushToStartRecord.Start]
}

// What is stored of one player, for whom it is handed out.

extension GameStore {
    /// When a player registered; nil when there is no such player.
    public func registrationTime(of playerID: PlayerID) async throws -> Timestamp? {
        let query = PostgresQuery(StoredOfPlayerStatements.registration, playerID.shard.column, playerID)
        return try await pool.query(query).first.map { Timestamp(try $0.decode(PostgresTimestamp.self)) }
    }

    /// When each of a player's tokens was given out.
    public func tokenTimes(of playerID: PlayerID) async throws -> [Timestamp] {
        try await pool.query(PostgresQuery(StoredOfPlayerStatements.tokens, playerID)).map {
            Timestamp(try $0.decode(PostgresTimestamp.self))
        }
    }

    /// What is kept of a player's push-to-start token; nil when there never was one.
    public func keptPushToStart(of playerID: PlayerID) async throws -> KeptPushToStart? {
        try await pool.query(PostgresQuery(StoredOfPlayerStatements.pushToStart, playerID)).first.map { row in
            let (pushToken, environment, frequent, moments, adventures) = try row.decode(
                [UInt8]?.self,
                PushEnvironment.self,
                Bool.self,
                [PostgresTimestamp].self,
                [AdventureID].self
            )
            return KeptPushToStart(
                pushToken: pushToken,
                environment: environment,
                frequentPushesEnabled: frequent,
                starts: zip(adventures, moments).map { .init(adventureID: $0, at: Timestamp($1)) }
            )
        }
    }

    /// The adventures of a party, in the order of their identifiers, which is that of their beginnings.
    public func adventureIDs(of partyID: PartyID) async throws -> [AdventureID] {
        try await pool.query(PostgresQuery(StoredOfPlayerStatements.adventures, partyID.shard.column, partyID))
            .map { try $0.decode(AdventureID.self) }
    }

    /// What moved an adventure besides its ticks.
    public func inputs(of adventureID: AdventureID) async throws -> [PlayedInput] {
        let query = PostgresQuery(StoredOfPlayerStatements.inputs, adventureID.shard.column, adventureID)
        return try await pool.query(query).map { row in
            let (tick, at, input) = try row.decode(Int32.self, PostgresTimestamp.self, JSONB.self)
            return PlayedInput(
                tick: Int(tick),
                at: Timestamp(at),
                input: try AdventureCoding.decode(input: input, of: adventureID)
            )
        }
    }

    /// Every activity of a player in a shard, whatever became of it.
    public func activities(of playerID: PlayerID, in shard: Shard) async throws -> [Activity] {
        try await pool.query(PostgresQuery(ActivityStatements.ofPlayer, shard.column, playerID))
            .map(ActivityStatements.decode)
    }

    /// The idempotency keys that are kept for a player in a shard.
    public func usedKeys(of playerID: PlayerID, in shard: Shard) async throws -> [UsedKey] {
        try await pool.query(PostgresQuery(StoredOfPlayerStatements.keys, shard.column, playerID)).map { row in
            let (key, status, at) = try row.decode(String.self, Int16.self, PostgresTimestamp.self)
            return UsedKey(key: key, status: Int(status), at: Timestamp(at))
        }
    }
}

enum StoredOfPlayerStatements {
    static let registration = Statement(
        "storedOfPlayer.registration",
        "SELECT created_at FROM players WHERE shard = $1 AND player_id = $2"
    )

    static let tokens = Statement(
        "storedOfPlayer.tokens",
        "SELECT created_at FROM player_tokens WHERE player_id = $1 ORDER BY created_at"
    )

    static let pushToStart = Statement(
        "storedOfPlayer.pushToStart",
        """
        SELECT push_token, environment, frequent_pushes, started_at, started_adventures
        FROM push_to_start
        WHERE player_id = $1
        """
    )

    static let adventures = Statement(
        "storedOfPlayer.adventures",
        "SELECT adventure_id FROM adventures WHERE shard = $1 AND party_id = $2 ORDER BY adventure_id"
    )

    static let inputs = Statement(
        "storedOfPlayer.inputs",
        """
        SELECT tick, at, input FROM adventure_inputs WHERE shard = $1 AND adventure_id = $2 ORDER BY sequence
        """
    )

    static let keys = Statement(
        "storedOfPlayer.keys",
        """
        SELECT key, status, created_at FROM idempotency_keys WHERE shard = $1 AND player_id = $2 ORDER BY created_at, key
        """
    )
}
