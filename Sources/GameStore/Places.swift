public import GameCore
import PostgresClient

/// A place in a party, claimed for a player before the membership itself is stored.
public struct PlaceClaim: Sendable {
    /// Who is to have the place.
    public let player: Player
    let partyID: PartyID
    let claimedAt: Timestamp
}

/// What became of asking for a place.
public enum PlaceAnswer: Sendable {
    case claimed(PlaceClaim)
    /// The player has as many places as allowed, in other parties.
    case noneLeft
    /// There is no such player.
    case unknownPlayer
}

// Memberships live with their parties, each in its own shard, and a player is in so many parties at most: what counts them
// all is here, with the player. Under the lock of the player's row a place is claimed if memberships and other claims leave
// one; then the membership is stored, and the claim is settled. So however many requests let the player in at once, each
// place that is taken is seen by the next of them, as a claim or as a membership.

extension GameStore {
    /// Claims a place for a player in a party; to be settled when the membership is stored, or refused.
    ///
    /// The party is noted as one of the player's, and stays so when the player leaves: taking that back could overtake the
    /// claim of a player who returns.
    /// - Parameters:
    ///   - playerID: whose place.
    ///   - partyID: the party, there or about to be founded.
    ///   - limit: in how many parties a player may be.
    ///   - oldest: claims from before this moment count for nothing: longer ago than any request takes.
    ///   - now: the moment of this claim.
    /// - Returns: the claim, or why there is none.
    /// - Throws: `PostgresError`.
    public func claimPlace(
        of playerID: PlayerID,
        in partyID: PartyID,
        atMost limit: Int,
        claimsSince oldest: Timestamp,
        at now: Timestamp
    ) async throws -> PlaceAnswer {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(
                PostgresQuery(PlaceStatements.lockPlayer, playerID.shard.column, playerID)
            )
            guard let row = rows.first else { return .unknownPlayer }
            let (displayName, hero) = try row.decode(String.self, HeroID.self)
            // A statement of its own, which sees all that was committed before the lock was had.
            let claimed = try await connection.query(
                PostgresQuery(PlaceStatements.claim, playerID, partyID, now.postgres, oldest.postgres, Int64(limit))
            )
            guard claimed.affectedRows == 1 else { return .noneLeft }
            return .claimed(
                PlaceClaim(
                    player: Player(id: playerID, displayName: displayName, hero: hero),
                    partyID: partyID,
                    claimedAt: now
                )
            )
        }
    }

    /// Ends a claim: from now on the membership counts, or nothing.
    public func settle(_ claim: PlaceClaim) async throws {
        _ = try await pool.query(
            PostgresQuery(PlaceStatements.settle, claim.player.id, claim.partyID, claim.claimedAt.postgres)
        )
    }
}

enum PlaceStatements {
    static let lockPlayer = Statement(
        "place.lockPlayer",
        "SELECT display_name, hero FROM players WHERE shard = $1 AND player_id = $2 FOR NO KEY UPDATE"
    )

    /// Changes nothing when the player's other places are as many as allowed.
    static let claim = Statement(
        "place.claim",
        """
        INSERT INTO player_parties (player_id, party_id, claimed_at)
        SELECT $1, $2, $3
        WHERE (
            SELECT count(*)
            FROM player_parties AS p
            WHERE p.player_id = $1 AND p.party_id <> $2 AND (
                p.claimed_at >= $4
                OR EXISTS (
                    SELECT FROM members AS m
                    WHERE m.shard = get_byte(uuid_send(p.party_id), 15) AND m.party_id = p.party_id AND m.player_id = $1
                )
            )
        ) < $5
        ON CONFLICT (player_id, party_id) DO UPDATE SET claimed_at = excluded.claimed_at
        """
    )

    /// Another request's newer claim of the same place stays.
    static let settle = Statement(
        "place.settle",
        "UPDATE player_parties SET claimed_at = NULL WHERE player_id = $1 AND party_id = $2 AND claimed_at = $3"
    )
}
