public import Encodings
public import GameCore
import PostgresClient

/// A player's push-to-start token, and the activities started with it.
public struct PushToStartRecord: Sendable {
    /// An activity that was started by push.
    public struct Start: Hashable, Sendable {
        /// The adventure that the activity shows.
        public let adventureID: AdventureID
        /// When the start was claimed.
        public let at: Timestamp

        /// Creates a start.
        public init(adventureID: AdventureID, at: Timestamp) {
            self.adventureID = adventureID
            self.at = at
        }
    }

    /// The player who owns the device.
    public let playerID: PlayerID
    /// The bytes of the push-to-start token.
    public let pushToken: [UInt8]
    /// The APNs environment of the token.
    public let environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled` when the token was registered.
    public let frequentPushesEnabled: Bool
    /// The starts, oldest first.
    public let starts: [Start]
    /// The record's version, incremented by each change.
    let version: Int64
}

extension GameStore {
    /// Stores a player's push-to-start token, replacing the previous one.
    ///
    /// Idempotent.
    public func storePushToStartToken(
        _ pushToken: [UInt8],
        of playerID: PlayerID,
        environment: PushEnvironment,
        frequentPushesEnabled: Bool
    ) async throws {
        _ = try await pool.query(
            PostgresQuery(PushToStartStatements.upsert, playerID, pushToken, environment, frequentPushesEnabled)
        )
    }

    /// Removes a player's push-to-start token.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - pushToken: the token to remove; another token stays. Nil removes any token.
    /// - Throws: `PostgresError`.
    public func removePushToStartToken(of playerID: PlayerID, ifCurrent pushToken: [UInt8]? = nil) async throws {
        _ = try await pool.query(PostgresQuery(PushToStartStatements.clear, playerID, pushToken))
    }

    /// Returns the records of the given players who have a push-to-start token.
    public func pushToStartRecords(of playerIDs: [PlayerID]) async throws -> [PushToStartRecord] {
        let rows = try await pool.query(PostgresQuery(PushToStartStatements.read, playerIDs))
        return try rows.map { row in
            let (playerID, pushToken, environment, frequent, version, moments, adventures) = try row.decode(
                PlayerID.self,
                [UInt8].self,
                PushEnvironment.self,
                Bool.self,
                Int64.self,
                [PostgresTimestamp].self,
                [AdventureID].self
            )
            return PushToStartRecord(
                playerID: playerID,
                pushToken: pushToken,
                environment: environment,
                frequentPushesEnabled: frequent,
                starts: zip(adventures, moments).map { .init(adventureID: $0, at: Timestamp($1)) },
                version: version
            )
        }
    }

    /// Claims the right to send one start, by storing the starts that include it before it is sent.
    /// - Parameters:
    ///   - starts: the starts to store, the claimed one last.
    ///   - record: the record that the decision was based on.
    /// - Returns: whether the start was claimed; false if the record has changed since it was read, because another
    ///   start was claimed or the token was replaced, and nothing was written.
    /// - Throws: `PostgresError`.
    public func claimStart(_ starts: [PushToStartRecord.Start], for record: PushToStartRecord) async throws -> Bool {
        let result = try await pool.query(
            PostgresQuery(
                PushToStartStatements.claim,
                record.playerID,
                record.version,
                starts.map(\.at.postgres),
                starts.map(\.adventureID)
            )
        )
        return result.affectedRows == 1
    }
}

enum PushToStartStatements {
    /// Inserts or updates a token, and removes it from other players.
    ///
    /// Locks the rows in the order of the primary key before changing any: two players who swap their devices may store
    /// each other's tokens concurrently.
    static let upsert = Statement(
        "pushToStart.upsert",
        """
        WITH locked AS (
            SELECT player_id FROM push_to_start
            WHERE player_id = $1 OR push_token = $2
            ORDER BY player_id
            FOR UPDATE
        ), others AS (
            UPDATE push_to_start
            SET push_token = NULL, version = version + 1
            WHERE push_token = $2 AND player_id <> $1
        )
        INSERT INTO push_to_start AS p
            (player_id, push_token, environment, frequent_pushes, version, started_at, started_adventures)
        SELECT $1, $2, $3, $4, 1, '{}', '{}' FROM (SELECT count(*) FROM locked) AS locks
        ON CONFLICT (player_id) DO UPDATE
        SET push_token = excluded.push_token,
            environment = excluded.environment,
            frequent_pushes = excluded.frequent_pushes,
            version = p.version + 1
        WHERE (p.push_token, p.environment, p.frequent_pushes)
            IS DISTINCT FROM (excluded.push_token, excluded.environment, excluded.frequent_pushes)
        """
    )

    /// Clears a player's token by primary key; with `$2`, only if it is this token.
    static let clear = Statement(
        "pushToStart.clear",
        """
        UPDATE push_to_start
        SET push_token = NULL, version = version + 1
        WHERE player_id = $1 AND push_token = coalesce($2, push_token)
        """
    )

    /// Reads the records of players with a token by primary key.
    static let read = Statement(
        "pushToStart.read",
        """
        SELECT player_id, push_token, environment, frequent_pushes, version, started_at, started_adventures
        FROM push_to_start
        WHERE player_id = ANY ($1) AND push_token IS NOT NULL
        ORDER BY player_id
        """
    )

    /// Stores the starts, if the record still has version `$2`.
    static let claim = Statement(
        "pushToStart.claim",
        """
        UPDATE push_to_start
        SET version = version + 1, started_at = $3, started_adventures = $4
        WHERE player_id = $1 AND version = $2
        """
    )
}
