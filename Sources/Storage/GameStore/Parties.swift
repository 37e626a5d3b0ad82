public import Encodings
public import GameCore
import PostgresClient

extension ShardTransaction {
    /// Returns a party of this shard, including changes recorded in this transaction; nil if there is none or it is
    /// disbanded.
    ///
    /// A party that this transaction disbands is still returned, so that its adventure can end in it.
    public func party(_ id: PartyID) async throws -> Party? {
        if let changed = parties[id] { return changed }
        return try PartyStatements.decode(
            try await connection.query(PostgresQuery(PartyStatements.read, shard.column, id))
        )[id]
    }

    /// Records a new party.
    public mutating func insert(_ party: Party) {
        precondition(party.id.shard == shard, "party \(party.id) belongs to another shard than \(shard.rawValue)")
        writes.append(
            PostgresQuery(
                PartyStatements.insert,
                shard.column,
                party.id,
                party.name,
                party.inviteCode,
                party.leaderID,
                Int16(party.capacity),
                party.version,
                now.postgres
            )
        )
        writes.append(PartyStatements.upsertMembers(of: party))
    }

    /// Records the newest state of a party and its members.
    ///
    /// Former members are deleted.
    public mutating func update(_ party: Party) {
        precondition(party.id.shard == shard, "party \(party.id) belongs to another shard than \(shard.rawValue)")
        parties[party.id] = party
    }

    /// Returns the statements that write the changed parties, in the order of their identifiers.
    func partyQueries() -> [PostgresQuery] {
        parties.values.sorted { $0.id < $1.id }.flatMap { party in
            PartyStatements.update(party, shard: shard, now: now)
        }
    }
}

/// A player's membership of a party.
public struct Membership: Sendable, Hashable {
    /// The party.
    public let partyID: PartyID
    /// The member.
    public let playerID: PlayerID

    /// Creates a membership.
    public init(of playerID: PlayerID, in partyID: PartyID) {
        self.partyID = partyID
        self.playerID = playerID
    }
}

extension GameStore {
    /// Returns the memberships among the given ones that exist now, in any shards.
    public func currentMemberships(among memberships: Set<Membership>) async throws -> Set<Membership> {
        let candidates = Array(memberships)
        let rows = try await pool.query(
            PostgresQuery(
                PartyStatements.currentMembers,
                candidates.map(\.partyID.shard.column),
                candidates.map(\.partyID),
                candidates.map(\.playerID)
            )
        )
        return Set(
            try rows.map { row in
                let (partyID, playerID) = try row.decode(PartyID.self, PlayerID.self)
                return Membership(of: playerID, in: partyID)
            }
        )
    }

    /// Returns a party; nil if there is none with this identifier or it is disbanded.
    public func party(_ id: PartyID) async throws -> Party? {
        try PartyStatements.decode(
            try await pool.query(PostgresQuery(PartyStatements.read, id.shard.column, id))
        )[id]
    }

    /// Reserves an invite code for a party, before the party's own row refers to it.
    /// - Returns: whether the code was free.
    public func reserve(_ code: InviteCode, for id: PartyID, at now: Timestamp) async throws -> Bool {
        try await pool.query(PostgresQuery(PartyStatements.reserveCode, code, id, now.postgres)).affectedRows == 1
    }

    /// Returns the party that an invite code was reserved for.
    ///
    /// Only the party's row says whether the code is still valid.
    public func partyID(of code: InviteCode) async throws -> PartyID? {
        try await pool.query(PostgresQuery(PartyStatements.findCode, code)).first?.decode(PartyID.self)
    }

    /// Returns the parties that a player may be a member of.
    ///
    /// Only the party's rows say whether the membership exists.
    public func partyIDs(of playerID: PlayerID) async throws -> [PartyID] {
        try await pool.query(PostgresQuery(PartyStatements.findParties, playerID.shard.column, playerID))
            .map { try $0.decode(PartyID.self) }
    }
}

enum PartyStatements {
    private static let columns = """
        p.party_id, p.name, p.invite_code, p.leader_id, p.capacity, p.adventure_id, p.version,
            m.player_id, m.display_name, m.hero, m.experience, m.joined_at
        """

    /// Reads a party with its members by primary key.
    static let read = Statement(
        "party.read",
        """
        SELECT \(columns)
        FROM parties AS p
        JOIN members AS m ON m.shard = $1 AND m.party_id = p.party_id
        WHERE p.shard = $1 AND p.party_id = $2
        ORDER BY m.joined_at, m.player_id
        """
    )

    /// Reads parties with their members by primary key.
    static let readSeveral = Statement(
        "party.readSeveral",
        """
        SELECT \(columns)
        FROM parties AS p
        JOIN members AS m ON m.shard = $1 AND m.party_id = p.party_id
        WHERE p.shard = $1 AND p.party_id = ANY ($2)
        ORDER BY p.party_id, m.joined_at, m.player_id
        """
    )

    static let insert = Statement(
        "party.insert",
        """
        INSERT INTO parties (shard, party_id, name, invite_code, leader_id, capacity, version, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """
    )

    static let update = Statement(
        "party.update",
        """
        UPDATE parties
        SET invite_code = $3, leader_id = $4, adventure_id = $5, version = $6, disbanded_at = $7
        WHERE shard = $1 AND party_id = $2
        """
    )

    /// Inserts members, or updates their experience, by primary key.
    static let upsert = Statement(
        "party.upsertMembers",
        """
        INSERT INTO members (shard, party_id, player_id, display_name, hero, experience, joined_at)
        SELECT $1, $2, m.player_id, m.display_name, m.hero, m.experience, m.joined_at
        FROM unnest($3::uuid[], $4::text[], $5::text[], $6::integer[], $7::timestamptz[])
            AS m (player_id, display_name, hero, experience, joined_at)
        ON CONFLICT (shard, party_id, player_id) DO UPDATE SET experience = excluded.experience
        """
    )

    /// Deletes the members that are not in `$3`.
    static let removeOthers = Statement(
        "party.removeOthers",
        "DELETE FROM members WHERE shard = $1 AND party_id = $2 AND player_id <> ALL ($3)"
    )

    /// Looks up memberships by primary key.
    static let currentMembers = Statement(
        "party.currentMembers",
        """
        SELECT party_id, player_id
        FROM unnest($1::smallint[], $2::uuid[], $3::uuid[]) AS requested (shard, party_id, player_id)
        JOIN members AS m USING (shard, party_id, player_id)
        WHERE m.shard = ANY ($1)
        """
    )

    /// Inserts an invite code, unless it is taken.
    static let reserveCode = Statement(
        "party.reserveCode",
        """
        INSERT INTO invite_codes (invite_code, party_id, reserved_at) VALUES ($1, $2, $3)
        ON CONFLICT (invite_code) DO NOTHING
        """
    )

    static let findCode = Statement("party.findCode", "SELECT party_id FROM invite_codes WHERE invite_code = $1")

    static let findParties = Statement(
        "party.findParties",
        "SELECT party_id FROM player_parties WHERE shard = $1 AND player_id = $2 ORDER BY party_id"
    )

    static func update(_ party: Party, shard: Shard, now: Timestamp) -> [PostgresQuery] {
        let row = PostgresQuery(
            update,
            shard.column,
            party.id,
            party.inviteCode,
            party.leaderID,
            party.adventureID,
            party.version,
            party.isDisbanded ? now.postgres : nil
        )
        let leavers = PostgresQuery(removeOthers, shard.column, party.id, party.members.map(\.playerID))
        return party.isDisbanded ? [row, leavers] : [row, leavers, upsertMembers(of: party)]
    }

    static func upsertMembers(of party: Party) -> PostgresQuery {
        PostgresQuery(
            upsert,
            party.id.shard.column,
            party.id,
            party.members.map(\.playerID),
            party.members.map(\.displayName),
            party.members.map(\.hero),
            party.members.map { Int32($0.experience) },
            party.members.map(\.joinedAt.postgres)
        )
    }

    /// Decodes parties from rows of ``columns``.
    static func decode(_ rows: PostgresRows) throws -> [PartyID: Party] {
        var members: [PartyID: [Member]] = [:]
        var parties: [PartyID: ([Member]) -> Party] = [:]
        for row in rows {
            let (
                id, name, code, leader, capacity, adventure, version, player, displayName, hero, experience, joinedAt
            ) =
                try row.decode(
                    PartyID.self,
                    String.self,
                    InviteCode.self,
                    PlayerID.self,
                    Int16.self,
                    AdventureID?.self,
                    Int64.self,
                    PlayerID.self,
                    String.self,
                    HeroID.self,
                    Int32.self,
                    PostgresTimestamp.self
                )
            members[id, default: []].append(
                Member(
                    playerID: player,
                    displayName: displayName,
                    hero: hero,
                    experience: Int(experience),
                    joinedAt: Timestamp(joinedAt)
                )
            )
            parties[id] = { members in
                Party(
                    id: id,
                    name: name,
                    inviteCode: code,
                    leaderID: leader,
                    capacity: Int(capacity),
                    members: members,
                    adventureID: adventure,
                    version: version
                )
            }
        }
        return Dictionary(uniqueKeysWithValues: parties.map { id, party in (id, party(members[id] ?? [])) })
    }
}
