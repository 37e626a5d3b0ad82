public import Encodings
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
// all is here, in the player's shard. Under the lock of the player's row a place is claimed if memberships and other claims leave
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
            guard
                try await taken(by: playerID, except: partyID, claimsSince: oldest, on: connection, limit: limit)
                    < limit
            else { return .noneLeft }
            _ = try await connection.query(
                PostgresQuery(PlaceStatements.claim, playerID.shard.column, playerID, partyID, now.postgres)
            )
            return .claimed(
                PlaceClaim(
                    player: Player(id: playerID, displayName: displayName, hero: hero),
                    partyID: partyID,
                    claimedAt: now
                )
            )
        }
    }

    /// How many places a player has in other parties, the row of the player being locked; where it is fewer than the limit
    /// it need not be exact.
    ///
    /// Each statement sees all that was committed before it: a place that is no claim any more when the claims are read
    /// is a membership when the memberships are. These are asked for shard by shard, and of few players: not of one who
    /// has been in fewer parties than allowed at once.
    private func taken(
        by playerID: PlayerID,
        except partyID: PartyID,
        claimsSince oldest: Timestamp,
        on connection: PostgresConnection,
        limit: Int
    ) async throws -> Int {
        let places = try await connection.query(
            PostgresQuery(PlaceStatements.others, playerID.shard.column, playerID, partyID, oldest.postgres)
        ).map { try $0.decode(PartyID.self, Bool.self) }
        guard places.count >= limit else { return places.count }
        let settled = Dictionary(grouping: places.filter { !$0.1 }.map(\.0), by: \.shard)
        let counts = try await connection.pipeline(
            settled.sorted { $0.key < $1.key }.map { shard, ids in
                PostgresQuery(PlaceStatements.memberships, shard.column, ids, playerID)
            }
        )
        return try counts.reduce(places.count(where: \.1)) { try $0 + Int($1[0].decode(Int64.self)) }
    }

    /// Ends a claim: from now on the membership counts, or nothing.
    public func settle(_ claim: PlaceClaim) async throws {
        _ = try await pool.query(
            PostgresQuery(
                PlaceStatements.settle,
                claim.player.id.shard.column,
                claim.player.id,
                claim.partyID,
                claim.claimedAt.postgres
            )
        )
    }
}

enum PlaceStatements {
    static let lockPlayer = Statement(
        "place.lockPlayer",
        "SELECT display_name, hero FROM players WHERE shard = $1 AND player_id = $2 FOR NO KEY UPDATE"
    )

    /// The places that a player has, or has had, in other parties; whether each is a claim that counts.
    static let others = Statement(
        "place.others",
        """
        SELECT party_id, coalesce(claimed_at >= $4, false)
        FROM player_parties
        WHERE shard = $1 AND player_id = $2 AND party_id <> $3
        """
    )

    static let memberships = Statement(
        "place.memberships",
        "SELECT count(*) FROM members WHERE shard = $1 AND party_id = ANY ($2) AND player_id = $3"
    )

    static let claim = Statement(
        "place.claim",
        """
        INSERT INTO player_parties (shard, player_id, party_id, claimed_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard, player_id, party_id) DO UPDATE SET claimed_at = excluded.claimed_at
        """
    )

    /// Another request's newer claim of the same place stays.
    static let settle = Statement(
        "place.settle",
        """
        UPDATE player_parties SET claimed_at = NULL
        WHERE shard = $1 AND player_id = $2 AND party_id = $3 AND claimed_at = $4
        """
    )
}
