public import Encodings
public import GameCore
public import GameLog
import PostgresClient

/// A player's idempotency key, without the response, which the player has received.
public struct StoredIdempotencyKey: Sendable, Hashable {
    /// The shard of the change, in which the response is stored.
    public let shard: Shard
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

// The stored data of one player, for the player's data export.

extension GameStore {
    /// Returns when a player registered; nil if there is no such player.
    public func registrationTime(of playerID: PlayerID) async throws -> Timestamp? {
        let query = PostgresQuery(PlayerDataStatements.registration, playerID.shard.column, playerID)
        return try await pool.query(query).first.map { Timestamp(try $0.decode(PostgresTimestamp.self)) }
    }

    /// Returns parties of a player's list, including those that the player has left.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - cursor: the last party of the previous page.
    ///   - limit: the maximum number of parties.
    /// - Returns: the parties, in the order of their identifiers.
    /// - Throws: `PostgresError`.
    public func listedParties(of playerID: PlayerID, after cursor: PartyID, limit: Int) async throws -> [PartyID] {
        let query = PostgresQuery(
            PlayerDataStatements.parties,
            playerID.shard.column,
            playerID,
            cursor,
            Int64(limit)
        )
        return try await pool.query(query).map { try $0.decode(PartyID.self) }
    }

    /// Returns whether a party is in a player's list, even if the player has left it.
    public func isListed(_ partyID: PartyID, of playerID: PlayerID) async throws -> Bool {
        let query = PostgresQuery(PlayerDataStatements.listing, playerID.shard.column, playerID, partyID)
        return try await pool.query(query).first != nil
    }

    /// Returns adventures of a party in the order of their identifiers, which is the order of their starts.
    /// - Parameters:
    ///   - partyID: the party.
    ///   - cursor: the last adventure of the previous page.
    ///   - limit: the maximum number of adventures.
    /// - Returns: the adventures.
    /// - Throws: `PostgresError`.
    public func adventureIDs(of partyID: PartyID, after cursor: AdventureID, limit: Int) async throws -> [AdventureID] {
        let query = PostgresQuery(
            PlayerDataStatements.adventures,
            partyID.shard.column,
            partyID,
            cursor,
            Int64(limit)
        )
        return try await pool.query(query).map { try $0.decode(AdventureID.self) }
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

    /// Returns activities of a player, whatever their state, each with its decision records and receipts if there
    /// are any.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - adventureID: the adventure of the last activity of the previous page.
    ///   - activityID: that activity.
    ///   - limit: the maximum number of activities.
    /// - Returns: the activities, by shard, then in the order of the primary key.
    /// - Throws: `PostgresError`.
    public func activities(
        of playerID: PlayerID,
        after adventureID: AdventureID,
        _ activityID: ActivityID,
        limit: Int
    ) async throws -> [(activity: Activity, decisions: [UInt8]?, receipts: ActivityReceipts?)] {
        let query = PostgresQuery(
            ActivityStatements.ofPlayer,
            Shard.all.map(\.column),
            playerID,
            adventureID.shard.column,
            adventureID,
            activityID,
            Int64(limit)
        )
        let activities = try await pool.query(query).map(ActivityStatements.decode)
        guard !activities.isEmpty else { return [] }
        let decisions = try await details(of: activities, DecisionStatements.readSeveral)
        let receipts = try await details(of: activities, ReceiptStatements.readSeveral)
        return activities.map { activity in
            let stored = receipts[activity.adventureID]?[activity.id]
            return (
                activity, decisions[activity.adventureID]?[activity.id],
                stored.flatMap { ActivityReceipts(encoded: $0) }
            )
        }
    }

    /// Reads bytes that are stored for activities, by adventure: apps choose the identifiers of activities, so that two of
    /// one player may be equal in theory.
    private func details(
        of activities: [Activity],
        _ statement: Statement
    ) async throws -> [AdventureID: [ActivityID: [UInt8]]] {
        let rows = try await pool.query(
            PostgresQuery(
                statement,
                activities.map(\.adventureID.shard.column),
                activities.map(\.adventureID),
                activities.map(\.id)
            )
        )
        var details: [AdventureID: [ActivityID: [UInt8]]] = [:]
        for row in rows {
            let (adventureID, activityID, bytes) = try row.decode(AdventureID.self, ActivityID.self, [UInt8].self)
            details[adventureID, default: [:]][activityID] = bytes
        }
        return details
    }

    /// Returns idempotency keys of a player.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - shard: the shard of the last key of the previous page.
    ///   - key: that key.
    ///   - limit: the maximum number of keys.
    /// - Returns: the keys, by shard, then in order.
    /// - Throws: `PostgresError`.
    public func idempotencyKeys(
        of playerID: PlayerID,
        after shard: Shard,
        _ key: String,
        limit: Int
    ) async throws -> [StoredIdempotencyKey] {
        let query = PostgresQuery(
            PlayerDataStatements.keys,
            Shard.all.map(\.column),
            playerID,
            shard.column,
            key,
            Int64(limit)
        )
        return try await pool.query(query).map { row in
            let (shard, key, status, at) = try row.decode(
                Int16.self,
                String.self,
                Int16.self,
                PostgresTimestamp.self
            )
            return StoredIdempotencyKey(
                shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)),
                key: key,
                status: Int(status),
                at: Timestamp(at)
            )
        }
    }
}

enum PlayerDataStatements {
    static let registration = Statement(
        "playerData.registration",
        "SELECT created_at FROM players WHERE shard = $1 AND player_id = $2"
    )

    /// Reads at most `$4` parties of a player's list after `$3`, along the primary key.
    static let parties = Statement(
        "playerData.parties",
        """
        SELECT party_id FROM player_parties
        WHERE shard = $1 AND player_id = $2 AND party_id > $3
        ORDER BY party_id
        LIMIT $4
        """
    )

    /// Looks a party up in a player's list by primary key.
    static let listing = Statement(
        "playerData.listing",
        "SELECT 1 FROM player_parties WHERE shard = $1 AND player_id = $2 AND party_id = $3"
    )

    /// Reads at most `$4` adventures of a party after `$3`, along the index on parties.
    static let adventures = Statement(
        "playerData.adventures",
        """
        SELECT adventure_id FROM adventures
        WHERE shard = $1 AND party_id = $2 AND adventure_id > $3
        ORDER BY adventure_id
        LIMIT $4
        """
    )

    /// Reads an adventure's inputs through their partial index.
    static let inputs = Statement(
        "playerData.inputs",
        """
        SELECT at, body FROM log WHERE shard = $1 AND adventure_id = $2 AND kind = 'input' ORDER BY position
        """
    )

    /// Reads at most `$5` idempotency keys of a player in the shards `$1` after a cursor, by primary key.
    static let keys = Statement(
        "playerData.keys",
        """
        SELECT shard, key, status, created_at FROM idempotency_keys
        WHERE shard = ANY ($1) AND player_id = $2 AND (shard, key) > ($3, $4)
        ORDER BY shard, key
        LIMIT $5
        """
    )
}
