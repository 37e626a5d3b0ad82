public import Encodings
public import GameCore
import PostgresClient

/// What a player's phone takes starts of cards with, and which it has been sent.
public struct PushToStartRecord: Sendable {
    /// A card that was started by push.
    public struct Start: Hashable, Sendable {
        /// Which adventure the card shows.
        public let adventureID: AdventureID
        /// When it was claimed.
        public let at: Timestamp

        /// A start.
        public init(adventureID: AdventureID, at: Timestamp) {
            self.adventureID = adventureID
            self.at = at
        }
    }

    /// Whose phone it is.
    public let playerID: PlayerID
    /// The bytes of the push-to-start token.
    public let pushToken: [UInt8]
    /// Where the token is valid.
    public let environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled` when the token was registered.
    public let frequentPushesEnabled: Bool
    /// What was started, oldest first.
    public let starts: [Start]
    /// Raised by every change.
    let version: Int64
}

extension GameStore {
    /// Keeps a player's push-to-start token; the one before is forgotten.
    ///
    /// Doing it again changes nothing.
    public func keepPushToStartToken(
        _ pushToken: [UInt8],
        of playerID: PlayerID,
        environment: PushEnvironment,
        frequentPushesEnabled: Bool
    ) async throws {
        _ = try await pool.query(
            PostgresQuery(PushToStartStatements.keep, playerID, pushToken, environment, frequentPushesEnabled)
        )
    }

    /// Forgets a player's push-to-start token.
    /// - Parameters:
    ///   - playerID: whose.
    ///   - pushToken: forgets it only if it still is this one; nil forgets whichever there is.
    /// - Throws: `PostgresError`.
    public func forgetPushToStartToken(of playerID: PlayerID, ifStill pushToken: [UInt8]? = nil) async throws {
        _ = try await pool.query(PostgresQuery(PushToStartStatements.forget, playerID, pushToken))
    }

    /// The records of those of some players who have a push-to-start token.
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

    /// Claims the right to send one start, before it is sent, by writing down the starts with it.
    /// - Parameters:
    ///   - starts: the starts to remember, the claimed one last.
    ///   - record: what was read, and decided upon.
    /// - Returns: false when the record has changed since it was read: another start was claimed, or the token is
    ///   another; nothing was written then.
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
    /// Locks the rows in the order of the primary key before it changes any: two players who swap their phones bring
    /// each other's tokens, perhaps at once.
    static let keep = Statement(
        "pushToStart.keep",
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

    static let forget = Statement(
        "pushToStart.forget",
        """
        UPDATE push_to_start
        SET push_token = NULL, version = version + 1
        WHERE player_id = $1 AND push_token = coalesce($2, push_token)
        """
    )

    static let read = Statement(
        "pushToStart.read",
        """
        SELECT player_id, push_token, environment, frequent_pushes, version, started_at, started_adventures
        FROM push_to_start
        WHERE player_id = ANY ($1) AND push_token IS NOT NULL
        ORDER BY player_id
        """
    )

    static let claim = Statement(
        "pushToStart.claim",
        """
        UPDATE push_to_start
        SET version = version + 1, started_at = $3, started_adventures = $4
        WHERE player_id = $1 AND version = $2
        """
    )
}
