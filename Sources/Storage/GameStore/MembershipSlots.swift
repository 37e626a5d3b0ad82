public import Encodings
public import GameCore
import PostgresClient

/// A claim to one of a player's membership slots, made before the membership itself is stored.
public struct MembershipClaim: Sendable {
    /// The player who joins.
    public let player: Player
    let partyID: PartyID
    let claimedAt: Timestamp
}

/// The result of claiming a membership slot.
public enum MembershipClaimResult: Sendable {
    /// The slot is claimed.
    case claimed(MembershipClaim)
    /// All of the player's slots are in use by other parties.
    case limitReached
    /// The player does not exist.
    case unknownPlayer
}

// A membership is stored with its party, in the party's shard, but the number of memberships is limited per player. The
// player's shard enforces the limit: under the lock of the player's row, a slot is claimed if memberships and other
// claims leave one; then the membership is stored, and the claim is released. Every used slot is therefore visible to
// concurrent requests, as a claim or as a membership.

extension GameStore {
    /// Claims a membership slot for a player in a party.
    ///
    /// The claim is released when the membership is stored or refused.
    ///
    /// The party stays in the player's list of parties after the player leaves: removing it could race with the claim
    /// of a player who returns.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - partyID: the party, which may be about to be created.
    ///   - limit: the maximum number of parties per player.
    ///   - oldest: claims before this time are ignored. It lies further back than any request can take.
    ///   - now: the time of this claim.
    /// - Returns: the claim, or the reason why there is none.
    /// - Throws: `PostgresError`.
    public func claimMembershipSlot(
        of playerID: PlayerID,
        in partyID: PartyID,
        limit: Int,
        claimsAfter oldest: Timestamp,
        at now: Timestamp
    ) async throws -> MembershipClaimResult {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(
                PostgresQuery(MembershipSlotStatements.lockPlayer, playerID.shard.column, playerID)
            )
            guard let row = rows.first else { return .unknownPlayer }
            let (displayName, hero) = try row.decode(String.self, HeroID.self)
            guard
                try await taken(by: playerID, except: partyID, claimsAfter: oldest, on: connection, limit: limit)
                    < limit
            else { return .limitReached }
            _ = try await connection.query(
                PostgresQuery(MembershipSlotStatements.claim, playerID.shard.column, playerID, partyID, now.postgres)
            )
            return .claimed(
                MembershipClaim(
                    player: Player(id: playerID, displayName: displayName, hero: hero),
                    partyID: partyID,
                    claimedAt: now
                )
            )
        }
    }

    /// Returns the number of slots that a player uses for other parties, under the lock of the player's row.
    ///
    /// Memberships are read shard by shard, and only if the player's list of parties, which includes former ones,
    /// reaches the limit. A returned number below the limit may therefore be too high. Claims are read before
    /// memberships, and each statement sees all earlier commits: if a claim was released before the claims are read,
    /// its membership is visible when the memberships are read.
    private func taken(
        by playerID: PlayerID,
        except partyID: PartyID,
        claimsAfter oldest: Timestamp,
        on connection: PostgresConnection,
        limit: Int
    ) async throws -> Int {
        let slots = try await connection.query(
            PostgresQuery(MembershipSlotStatements.others, playerID.shard.column, playerID, partyID, oldest.postgres)
        ).map { try $0.decode(PartyID.self, Bool.self) }
        guard slots.count >= limit else { return slots.count }
        let unclaimed = Dictionary(grouping: slots.filter { !$0.1 }.map(\.0), by: \.shard)
        let counts = try await connection.pipeline(
            unclaimed.sorted { $0.key < $1.key }.map { shard, ids in
                PostgresQuery(MembershipSlotStatements.memberships, shard.column, ids, playerID)
            }
        )
        return try counts.reduce(slots.count(where: \.1)) { try $0 + Int($1[0].decode(Int64.self)) }
    }

    /// Releases a claim.
    ///
    /// From now on only a stored membership uses the slot.
    public func release(_ claim: MembershipClaim) async throws {
        _ = try await pool.query(
            PostgresQuery(
                MembershipSlotStatements.release,
                claim.player.id.shard.column,
                claim.player.id,
                claim.partyID,
                claim.claimedAt.postgres
            )
        )
    }
}

enum MembershipSlotStatements {
    /// Locks the player's row by primary key, which serialises claims of the same player.
    static let lockPlayer = Statement(
        "membershipSlot.lockPlayer",
        "SELECT display_name, hero FROM players WHERE shard = $1 AND player_id = $2 FOR NO KEY UPDATE"
    )

    /// Reads a player's current and former other parties, and whether each has a valid claim, along the primary key.
    static let others = Statement(
        "membershipSlot.others",
        """
        SELECT party_id, coalesce(claimed_at >= $4, false)
        FROM player_parties
        WHERE shard = $1 AND player_id = $2 AND party_id <> $3
        """
    )

    /// Counts a player's memberships in parties of one shard by primary key.
    static let memberships = Statement(
        "membershipSlot.memberships",
        "SELECT count(*) FROM members WHERE shard = $1 AND party_id = ANY ($2) AND player_id = $3"
    )

    /// Inserts or renews a claim by primary key.
    static let claim = Statement(
        "membershipSlot.claim",
        """
        INSERT INTO player_parties (shard, player_id, party_id, claimed_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard, player_id, party_id) DO UPDATE SET claimed_at = excluded.claimed_at
        """
    )

    /// Releases a claim, unless another request has renewed it.
    static let release = Statement(
        "membershipSlot.release",
        """
        UPDATE player_parties SET claimed_at = NULL
        WHERE shard = $1 AND player_id = $2 AND party_id = $3 AND claimed_at = $4
        """
    )
}
