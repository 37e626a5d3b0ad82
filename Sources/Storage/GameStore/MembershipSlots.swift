public import Encodings
public import GameCore
import GameLog
import PostgresClient

/// A claim to one of a player's membership slots, made before the membership itself is stored.
public struct MembershipClaim: Sendable {
    /// The player who joins.
    public let player: Player
    let partyID: PartyID
    /// The time of the claim by the database's clock.
    public let claimedAt: Timestamp
    /// Whether the party was in the player's list before, and whether as one that the player had left.
    let listing: Listing

    enum Listing: Sendable {
        case none
        case listed
        case left
    }
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
//
// The list of a player's parties is read by few requests beyond the parties that the player may be in: the others are
// marked as left, when the player leaves or when a slot is claimed, under the lock of the player's row. Their rows stay
// for exports and erasures.

extension GameStore {
    /// Claims a membership slot for a player in a party.
    ///
    /// The claim is released when the membership is stored or refused.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - partyID: the party, which may be about to be created.
    ///   - limit: the maximum number of parties per player.
    ///   - lifetime: how long a claim counts, by the database's clock: longer than any request can take.
    /// - Returns: the claim, or the reason why there is none.
    /// - Throws: `PostgresError`.
    public func claimMembershipSlot(
        of playerID: PlayerID,
        in partyID: PartyID,
        limit: Int,
        claimsLastingFor lifetime: Duration
    ) async throws -> MembershipClaimResult {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(
                PostgresQuery(MembershipSlotStatements.lockPlayer, playerID.shard.column, playerID)
            )
            guard let row = rows.first else { return .unknownPlayer }
            let (displayName, hero, experience, time) = try row.decode(
                String.self,
                HeroID.self,
                Int32.self,
                PostgresTimestamp.self
            )
            let now = clock.now?() ?? Timestamp(time)
            let slots = try await slots(of: playerID, except: partyID, claimsAfter: now - lifetime, on: connection)
            guard
                try await taken(slots.others, by: playerID, on: connection, limit: limit, at: now) < limit
            else { return .limitReached }
            _ = try await connection.query(
                PostgresQuery(MembershipSlotStatements.claim, playerID.shard.column, playerID, partyID, now.postgres)
            )
            return .claimed(
                MembershipClaim(
                    player: Player(
                        id: playerID,
                        displayName: displayName,
                        hero: hero,
                        progress: PlayerProgress(experience: Int(experience))
                    ),
                    partyID: partyID,
                    claimedAt: now,
                    listing: slots.own.map { $0.hasLeft ? .left : .listed } ?? .none
                )
            )
        }
    }

    /// A party in a player's list.
    private struct Slot {
        let partyID: PartyID
        let isClaimed: Bool
        let hasLeft: Bool
    }

    /// Returns the parties that a player may be in, and one party of the list even if the player has left it.
    private func slots(
        of playerID: PlayerID,
        except partyID: PartyID,
        claimsAfter oldest: Timestamp,
        on connection: PostgresConnection
    ) async throws -> (own: Slot?, others: [Slot]) {
        let slots = try await connection.query(
            PostgresQuery(MembershipSlotStatements.list, playerID.shard.column, playerID, partyID, oldest.postgres)
        ).map { row in
            let (partyID, isClaimed, hasLeft) = try row.decode(PartyID.self, Bool.self, Bool.self)
            return Slot(partyID: partyID, isClaimed: isClaimed, hasLeft: hasLeft)
        }
        return (slots.first { $0.partyID == partyID }, slots.filter { $0.partyID != partyID })
    }

    /// Returns the number of slots that a player uses, under the lock of the player's row, and marks the others as left.
    ///
    /// Memberships are read shard by shard, and only if the list reaches the limit. A returned number below the limit may
    /// therefore be too high. Claims are read before memberships, and each statement sees all earlier commits: if a claim
    /// was released before the claims are read, its membership is visible when the memberships are read.
    private func taken(
        _ slots: [Slot],
        by playerID: PlayerID,
        on connection: PostgresConnection,
        limit: Int,
        at now: Timestamp
    ) async throws -> Int {
        guard slots.count >= limit else { return slots.count }
        let unclaimed = slots.filter { !$0.isClaimed }.map(\.partyID)
        let memberships = try await memberships(of: playerID, among: unclaimed, on: connection)
        let left = unclaimed.filter { !memberships.contains($0) }
        if !left.isEmpty {
            _ = try await connection.query(MembershipSlotStatements.markLeft(left, of: playerID, at: now))
        }
        return slots.count - left.count
    }

    private func memberships(
        of playerID: PlayerID,
        among partyIDs: [PartyID],
        on connection: PostgresConnection
    ) async throws -> Set<PartyID> {
        let queries = Dictionary(grouping: partyIDs, by: \.shard).sorted { $0.key < $1.key }.map { shard, ids in
            PostgresQuery(MembershipSlotStatements.memberships, shard.column, ids, playerID)
        }
        return Set(try await connection.pipeline(queries).flatMap { try $0.map { try $0.decode(PartyID.self) } })
    }

    /// Marks a party in a player's list as left, unless the player is a member or has a claim: the player may have returned.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - partyID: the party.
    ///   - oldest: claims before this time are ignored.
    ///   - now: the time to store.
    /// - Throws: `PostgresError`.
    public func noteDeparture(
        of playerID: PlayerID,
        from partyID: PartyID,
        claimsAfter oldest: Timestamp,
        at now: Timestamp
    ) async throws {
        try await pool.withTransaction { connection in
            // No claim can begin under the lock. One that was released before this reads it has left a membership.
            let player = PostgresQuery(MembershipSlotStatements.lockPlayer, playerID.shard.column, playerID)
            guard try await connection.query(player).first != nil else { return }
            let slots = try await slots(of: playerID, except: partyID, claimsAfter: oldest, on: connection)
            guard let slot = slots.own, !slot.hasLeft, !slot.isClaimed,
                try await memberships(of: playerID, among: [partyID], on: connection).isEmpty
            else { return }
            _ = try await connection.query(MembershipSlotStatements.markLeft([partyID], of: playerID, at: now))
        }
    }

    /// Releases a claim.
    ///
    /// From now on only a stored membership uses the slot.
    /// - Parameters:
    ///   - claim: the claim.
    ///   - isRefused: whether it is certain that the request has stored no membership; the list is then as before.
    /// - Throws: `PostgresError`.
    public func release(_ claim: MembershipClaim, isRefused: Bool = false) async throws {
        let statement =
            switch claim.listing {
            case .none where isRefused: MembershipSlotStatements.withdraw
            case .left where isRefused: MembershipSlotStatements.releaseAsLeft
            case .none, .listed, .left: MembershipSlotStatements.release
            }
        _ = try await pool.query(
            PostgresQuery(
                statement,
                claim.player.id.shard.column,
                claim.player.id,
                claim.partyID,
                claim.claimedAt.postgres
            )
        )
    }
}

enum MembershipSlotStatements {
    /// Locks the player's row by primary key, which serialises claims of the same player, and reads the database's clock.
    static let lockPlayer = Statement(
        "membershipSlot.lockPlayer",
        """
        SELECT display_name, hero, experience, clock_timestamp() FROM players
        WHERE shard = $1 AND player_id = $2
        FOR NO KEY UPDATE
        """
    )

    /// Reads the parties that a player may be in, and the party `$3`, through the index on left parties and the primary key.
    ///
    /// Returns whether each has a valid claim, and whether the player has left it.
    static let list = Statement(
        "membershipSlot.list",
        """
        SELECT party_id, coalesce(claimed_at >= $4, false), left_at IS NOT NULL
        FROM player_parties
        WHERE shard = $1 AND player_id = $2 AND (left_at IS NULL OR party_id = $3)
        """
    )

    /// Reads a player's memberships in parties of one shard by primary key.
    static let memberships = Statement(
        "membershipSlot.memberships",
        "SELECT party_id FROM members WHERE shard = $1 AND party_id = ANY ($2) AND player_id = $3"
    )

    /// Inserts or renews a claim by primary key.
    static let claim = Statement(
        "membershipSlot.claim",
        """
        INSERT INTO player_parties (shard, player_id, party_id, claimed_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard, player_id, party_id) DO UPDATE SET claimed_at = excluded.claimed_at, left_at = NULL
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

    /// Releases a claim in a party that the player had left, unless another request has renewed it.
    static let releaseAsLeft = Statement(
        "membershipSlot.releaseAsLeft",
        """
        UPDATE player_parties SET claimed_at = NULL, left_at = $4
        WHERE shard = $1 AND player_id = $2 AND party_id = $3 AND claimed_at = $4
        """
    )

    /// Removes a claim in a party that was not listed, unless another request has renewed it.
    static let withdraw = Statement(
        "membershipSlot.withdraw",
        "DELETE FROM player_parties WHERE shard = $1 AND player_id = $2 AND party_id = $3 AND claimed_at = $4"
    )

    /// Marks parties as left by primary key.
    static let markLeft = Statement(
        "membershipSlot.markLeft",
        """
        UPDATE player_parties SET left_at = $4, claimed_at = NULL
        WHERE shard = $1 AND player_id = $2 AND party_id = ANY ($3)
        """
    )

    static func markLeft(_ partyIDs: [PartyID], of playerID: PlayerID, at now: Timestamp) -> PostgresQuery {
        PostgresQuery(markLeft, playerID.shard.column, playerID, partyIDs, now.postgres)
    }
}
