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
        return try decode(try await connection.query(PostgresQuery(PartyStatements.read, shard.column, id)))[id]
    }

    /// Returns the requested parties of this shard that have members, with one statement, including changes recorded
    /// in this transaction.
    public func parties(_ ids: [PartyID]) async throws -> [PartyID: Party] {
        try decode(try await connection.query(PostgresQuery(PartyStatements.readSeveral, shard.column, ids)))
            .merging(parties.filter { ids.contains($0.key) }) { $1 }
    }

    /// Decodes parties, and ends their adventures that end in this transaction.
    private func decode(_ rows: PostgresRows) throws -> [PartyID: Party] {
        var parties = try PartyStatements.decode(rows)
        for end in ends where parties[end.partyID]?.adventureID == end.id {
            parties[end.partyID]?.endAdventure(experience: end.experience)
        }
        return parties
    }

    /// Records a new party.
    public mutating func insert(_ party: Party) {
        precondition(party.id.shard == shard, "party \(party.id) belongs to another shard than \(shard.rawValue)")
        require(heroesOf: party)
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
        writes.append(PartyStatements.insertMembers(of: [party], in: shard))
    }

    /// Records the newest state of a party.
    /// - Parameters:
    ///   - party: the party.
    ///   - changesMembers: whether members joined or left.
    public mutating func update(_ party: Party, changingMembers changesMembers: Bool = false) {
        precondition(party.id.shard == shard, "party \(party.id) belongs to another shard than \(shard.rawValue)")
        parties[party.id] = party
        guard changesMembers else { return }
        partiesWithNewMembers.insert(party.id)
        require(heroesOf: party)
    }

    /// Records the newest state of a party in which the name, the hero or the experience of a member changed.
    public mutating func update(_ party: Party, changingProfileOf playerID: PlayerID) {
        update(party)
        guard let member = party.member(playerID) else { return }
        require(heroesOf: party)
        writes.append(
            PostgresQuery(
                PartyStatements.setProfile,
                shard.column,
                party.id,
                playerID,
                member.displayName,
                member.hero,
                Int32(member.experience)
            )
        )
    }

    /// Keeps nodes whose version does not know all heroes of a party away from the shard from now on: the heroes take
    /// part in its adventures.
    private mutating func require(heroesOf party: Party) {
        for member in party.members { require(HeroCatalogue[member.hero]?.since) }
    }

    /// Returns the statements that write the changed parties, in the order of their identifiers.
    func partyQueries() -> [PostgresQuery] {
        guard !parties.isEmpty else { return [] }
        let changed = parties.values.sorted { $0.id < $1.id }
        var queries = [PartyStatements.update(changed, shard: shard, now: now)]
        let withNewMembers = changed.filter { partiesWithNewMembers.contains($0.id) }
        if !withNewMembers.isEmpty {
            queries.append(PartyStatements.removeOthers(of: withNewMembers, in: shard))
            queries.append(PartyStatements.insertMembers(of: withNewMembers, in: shard))
        }
        // A disbanded party has no link.
        queries += changed.filter(\.isDisbanded).map { SpectatorStatements.close($0.id) }
        return queries
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

    /// Returns the requested parties of a shard that have members, with one statement.
    public func parties(_ ids: [PartyID], of shard: Shard) async throws -> [PartyID: Party] {
        try PartyStatements.decode(
            try await pool.query(PostgresQuery(PartyStatements.readSeveral, shard.column, ids))
        )
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

    /// Returns the parties that a player may be a member of, and those that the player has left lately.
    ///
    /// Only the party's rows say whether the membership exists.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - moment: parties that the player has left later than this are included; nil includes none.
    /// - Returns: the parties, in the order of their identifiers.
    /// - Throws: `PostgresError`.
    public func partyIDs(of playerID: PlayerID, leftAfter moment: Timestamp? = nil) async throws -> [PartyID] {
        let query = PostgresQuery(PartyStatements.findParties, playerID.shard.column, playerID, moment?.postgres)
        return try await pool.query(query).map { try $0.decode(PartyID.self) }
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

    /// Updates parties by primary key.
    static let update = Statement(
        "party.update",
        """
        UPDATE parties AS p
        SET invite_code = u.invite_code, leader_id = u.leader_id, adventure_id = u.adventure_id, version = u.version,
            disbanded_at = u.disbanded_at
        FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::bigint[], $7::timestamptz[])
            AS u (party_id, invite_code, leader_id, adventure_id, version, disbanded_at)
        WHERE p.shard = $1 AND p.party_id = u.party_id
        """
    )

    /// Gives the heroes of ended adventures back to their parties, by primary key.
    static let endAdventures = Statement(
        "party.endAdventures",
        """
        UPDATE parties AS p
        SET adventure_id = NULL, version = p.version + 1
        FROM unnest($2::uuid[], $3::uuid[]) AS u (party_id, adventure_id)
        WHERE p.shard = $1 AND p.party_id = u.party_id AND p.adventure_id = u.adventure_id
        """
    )

    /// Inserts the members that are not stored yet, by primary key.
    static let insertMembers = Statement(
        "party.insertMembers",
        """
        INSERT INTO members (shard, party_id, player_id, display_name, hero, experience, joined_at)
        SELECT s.shard, m.party_id, m.player_id, m.display_name, m.hero, m.experience, m.joined_at
        FROM shards AS s,
            unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::integer[], $7::timestamptz[])
                AS m (party_id, player_id, display_name, hero, experience, joined_at)
        WHERE s.shard = $1
        ON CONFLICT (shard, party_id, player_id) DO NOTHING
        """
    )

    /// Updates the name, the hero and the experience of a member by primary key.
    static let setProfile = Statement(
        "party.setProfile",
        """
        UPDATE members SET display_name = $4, hero = $5, experience = $6
        WHERE shard = $1 AND party_id = $2 AND player_id = $3
        """
    )

    /// Looks up a membership of a party with a running adventure, by primary key.
    static let running = Statement(
        "party.running",
        """
        SELECT 1
        FROM parties AS p
        JOIN members AS m ON m.shard = $1 AND m.party_id = p.party_id
        WHERE p.shard = $1 AND p.party_id = $2 AND m.player_id = $3 AND p.adventure_id IS NOT NULL
        """
    )

    /// Raises the experience of members by primary key: a player may have gained more in another party meanwhile.
    static let setExperience = Statement(
        "party.setExperience",
        """
        UPDATE members AS m
        SET experience = u.experience
        FROM unnest($2::uuid[], $3::uuid[], $4::integer[]) AS u (party_id, player_id, experience)
        WHERE m.shard = $1 AND m.party_id = u.party_id AND m.player_id = u.player_id AND m.experience < u.experience
        """
    )

    /// Deletes the members of the parties `$2` that are not in `$3` and `$4`.
    static let removeOthers = Statement(
        "party.removeOthers",
        """
        DELETE FROM members AS m
        WHERE m.shard = $1 AND m.party_id = ANY ($2)
            AND NOT EXISTS (
                SELECT FROM unnest($3::uuid[], $4::uuid[]) AS u (party_id, player_id)
                WHERE u.party_id = m.party_id AND u.player_id = m.player_id
            )
        """
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

    /// Reads the parties that a player may be in or has left after `$3`, if it is given, through the index on left
    /// parties.
    static let findParties = Statement(
        "party.findParties",
        """
        SELECT party_id FROM player_parties
        WHERE shard = $1 AND player_id = $2 AND (left_at IS NULL OR left_at > $3)
        ORDER BY party_id
        """
    )

    static func update(_ parties: [Party], shard: Shard, now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            update,
            shard.column,
            parties.map(\.id),
            parties.map(\.inviteCode),
            parties.map(\.leaderID),
            parties.map(\.adventureID),
            parties.map(\.version),
            parties.map { $0.isDisbanded ? now.postgres : nil }
        )
    }

    static func insertMembers(of parties: [Party], in shard: Shard) -> PostgresQuery {
        let members = membersWithParty(of: parties)
        return PostgresQuery(
            insertMembers,
            shard.column,
            members.map(\.0),
            members.map(\.1.playerID),
            members.map(\.1.displayName),
            members.map(\.1.hero),
            members.map { Int32($0.1.experience) },
            members.map(\.1.joinedAt.postgres)
        )
    }

    /// Returns the statements that give heroes back to their parties, with the experience that they gained.
    static func end(_ ends: [AdventureEnd], in shard: Shard) -> [PostgresQuery] {
        let heroes = ends.flatMap { end in end.experience.map { (end.partyID, $0.key, Int32($0.value)) } }
        return [
            PostgresQuery(endAdventures, shard.column, ends.map(\.partyID), ends.map(\.id)),
            PostgresQuery(setExperience, shard.column, heroes.map(\.0), heroes.map(\.1), heroes.map(\.2)),
        ]
    }

    static func removeOthers(of parties: [Party], in shard: Shard) -> PostgresQuery {
        let members = membersWithParty(of: parties)
        return PostgresQuery(
            removeOthers,
            shard.column,
            parties.map(\.id),
            members.map(\.0),
            members.map(\.1.playerID)
        )
    }

    private static func membersWithParty(of parties: [Party]) -> [(PartyID, Member)] {
        parties.flatMap { party in party.members.map { (party.id, $0) } }
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
