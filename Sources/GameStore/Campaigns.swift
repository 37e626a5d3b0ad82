public import GameCore
import PostgresClient

/// An operator's boss for every idle party.
public struct Campaign: Sendable, Hashable {
    /// Chosen by the operator; who gives it again goes on with it.
    public let name: String
    /// The boss that it sets.
    public let boss: BossID
    /// The operator who began it.
    public let createdBy: String
    /// When it began.
    public let createdAt: Timestamp

    /// A campaign.
    public init(name: String, boss: BossID, createdBy: String, createdAt: Timestamp) {
        self.name = name
        self.boss = boss
        self.createdBy = createdBy
        self.createdAt = createdAt
    }
}

/// A party as a campaign looks at it.
public struct CampaignCandidate: Sendable, Hashable {
    /// Which party.
    public let partyID: PartyID
    /// Whether it is on an adventure.
    public let isBusy: Bool
    /// Whether the campaign has begun a fight of it before.
    public let isServed: Bool
    /// Whether nobody is in it.
    public let isEmpty: Bool
}

extension AuditAction {
    /// A campaign was begun.
    public static let campaignBegin = Self(rawValue: "campaign.begin")
}

extension GameStore {
    /// Begins a campaign, unless one of its name has begun; the audit log tells that it has.
    /// - Parameters:
    ///   - campaign: as it would be.
    ///   - author: who begins it.
    /// - Returns: the campaign of that name, which may set another boss.
    /// - Throws: `PostgresError`.
    public func begin(_ campaign: Campaign, by author: AuditAuthor) async throws -> Campaign {
        // Found by every step but the first, without a lock.
        if let stored = try await self.campaign(campaign.name) { return stored }
        return try await withShard(.forOperators, at: campaign.createdAt) { transaction in
            try await transaction.begin(campaign, by: author)
        }
    }

    /// The campaign of that name, nil when none has begun.
    public func campaign(_ name: String) async throws -> Campaign? {
        try await pool.query(PostgresQuery(CampaignStatements.read, name)).first.map { row in
            try CampaignStatements.decode(row, name: name)
        }
    }

    /// Parties of a shard in the order of their identifiers, those that were disbanded left out.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - name: the campaign's name; it need not have begun.
    ///   - cursor: the last party that was looked at; nil for the beginning.
    ///   - limit: how many at most.
    /// - Returns: the parties, each with what the campaign has to know.
    /// - Throws: `PostgresError`.
    public func candidates(
        in shard: Shard,
        for name: String,
        after cursor: PartyID?,
        limit: Int
    ) async throws -> [CampaignCandidate] {
        let rows = try await pool.query(
            PostgresQuery(CampaignStatements.candidates, shard.column, name, cursor, Int64(limit))
        )
        return try rows.map { row in
            let (id, isBusy, isServed, isEmpty) = try row.decode(PartyID.self, Bool.self, Bool.self, Bool.self)
            return CampaignCandidate(partyID: id, isBusy: isBusy, isServed: isServed, isEmpty: isEmpty)
        }
    }

    /// How many parties there are, those that were disbanded left out.
    public func countParties() async throws -> Int {
        try await pool.query(PostgresQuery(CampaignStatements.count)).first.map { Int(try $0.decode(Int64.self)) } ?? 0
    }
}

extension ShardTransaction {
    /// Whoever begins a campaign holds the lock of the operators' shard: of two one is first.
    fileprivate mutating func begin(_ campaign: Campaign, by author: AuditAuthor) async throws -> Campaign {
        let rows = try await connection.query(PostgresQuery(CampaignStatements.read, campaign.name))
        if let row = rows.first { return try CampaignStatements.decode(row, name: campaign.name) }
        writes.append(
            PostgresQuery(
                CampaignStatements.insert,
                campaign.name,
                campaign.boss.rawValue,
                campaign.createdBy,
                campaign.createdAt.postgres
            )
        )
        let facts = ["boss": campaign.boss.rawValue]
        audit(AuditChange(.campaignBegin, of: "campaign/\(campaign.name)", after: facts, by: author))
        return campaign
    }

    /// Those of some parties of this shard for which a campaign has begun a fight before.
    public func served(by name: String, among ids: [PartyID]) async throws -> Set<PartyID> {
        let rows = try await connection.query(PostgresQuery(CampaignStatements.served, shard.column, name, ids))
        return Set(try rows.map { try $0.decode(PartyID.self) })
    }

    /// Some parties of this shard as they are now, by one statement; those that are no more are left out.
    public func parties(_ ids: [PartyID]) async throws -> [PartyID: Party] {
        try CampaignStatements.decodeParties(
            try await connection.query(PostgresQuery(CampaignStatements.parties, shard.column, ids))
        )
    }

    /// Records that a campaign has begun fights, in this very transaction.
    public mutating func serve(_ fights: [(partyID: PartyID, adventureID: AdventureID)], for name: String) {
        guard !fights.isEmpty else { return }
        writes.append(
            PostgresQuery(
                CampaignStatements.serve,
                shard.column,
                name,
                fights.map(\.partyID),
                fights.map(\.adventureID),
                now.postgres
            )
        )
    }
}

enum CampaignStatements {
    static let insert = Statement(
        "campaign.insert",
        "INSERT INTO campaigns (name, boss, created_by, created_at) VALUES ($1, $2, $3, $4)"
    )

    static let read = Statement("campaign.read", "SELECT boss, created_by, created_at FROM campaigns WHERE name = $1")

    /// Goes along the primary key of the parties, and looks the campaign's fights and the members up by theirs.
    static let candidates = Statement(
        "campaign.candidates",
        """
        SELECT p.party_id, p.adventure_id IS NOT NULL,
            EXISTS (SELECT FROM campaign_fights AS f WHERE f.shard = $1 AND f.campaign = $2 AND f.party_id = p.party_id),
            NOT EXISTS (SELECT FROM members AS m WHERE m.shard = $1 AND m.party_id = p.party_id)
        FROM parties AS p
        WHERE p.shard = $1 AND p.disbanded_at IS NULL AND ($3::uuid IS NULL OR p.party_id > $3)
        ORDER BY p.party_id
        LIMIT $4
        """
    )

    static let count = Statement("campaign.count", "SELECT count(*) FROM parties WHERE disbanded_at IS NULL")

    static let served = Statement(
        "campaign.served",
        "SELECT party_id FROM campaign_fights WHERE shard = $1 AND campaign = $2 AND party_id = ANY ($3)"
    )

    static let serve = Statement(
        "campaign.serve",
        """
        INSERT INTO campaign_fights (shard, campaign, party_id, adventure_id, started_at)
        SELECT $1, $2, f.party_id, f.adventure_id, $5
        FROM unnest($3::uuid[], $4::uuid[]) AS f (party_id, adventure_id)
        """
    )

    static let parties = Statement(
        "campaign.parties",
        """
        SELECT p.party_id, p.name, p.invite_code, p.leader_id, p.capacity, p.adventure_id, p.version,
            m.player_id, m.display_name, m.hero, m.experience, m.joined_at
        FROM parties AS p
        JOIN members AS m ON m.shard = $1 AND m.party_id = p.party_id
        WHERE p.shard = $1 AND p.party_id = ANY ($2)
        ORDER BY p.party_id, m.joined_at, m.player_id
        """
    )

    static func decode(_ row: PostgresRow, name: String) throws -> Campaign {
        let (boss, creator, at) = try row.decode(String.self, String.self, PostgresTimestamp.self)
        return Campaign(name: name, boss: BossID(rawValue: boss), createdBy: creator, createdAt: Timestamp(at))
    }

    static func decodeParties(_ rows: PostgresRows) throws -> [PartyID: Party] {
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
