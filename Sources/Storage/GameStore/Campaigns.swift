public import Encodings
public import Foundation
public import GameCore
public import PostgresClient

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

/// Names one run of a campaign: a program that takes its steps, from its start to its end.
public struct CampaignRunID: EntityID, PostgresEncodable, PostgresDecodable {
    /// The UUID.
    public let rawValue: UUID

    /// The identifier with that UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// A fight that a campaign has begun.
public struct CampaignFight: Sendable, Hashable {
    /// Whose fight it is.
    public let partyID: PartyID
    /// The fight.
    public let adventureID: AdventureID
    /// The run that has begun it; nil when that had no name.
    public let run: CampaignRunID?

    /// A fight of a campaign.
    public init(of partyID: PartyID, _ adventureID: AdventureID, in run: CampaignRunID?) {
        self.partyID = partyID
        self.adventureID = adventureID
        self.run = run
    }
}

/// A party as a campaign looks at it.
public struct CampaignCandidate: Sendable, Hashable {
    /// Which party.
    public let partyID: PartyID
    /// Whether it is on an adventure.
    public let isBusy: Bool
    /// The fight that the campaign has begun of it; nil when there was none yet.
    public let fight: CampaignFight?
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
            let (id, isBusy, adventureID, run, isEmpty) = try row.decode(
                PartyID.self,
                Bool.self,
                AdventureID?.self,
                CampaignRunID?.self,
                Bool.self
            )
            let fight = adventureID.map { CampaignFight(of: id, $0, in: run) }
            return CampaignCandidate(partyID: id, isBusy: isBusy, fight: fight, isEmpty: isEmpty)
        }
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

    /// The fights that a campaign has begun before, of some parties of this shard.
    public func served(by name: String, among ids: [PartyID]) async throws -> [PartyID: CampaignFight] {
        let rows = try await connection.query(PostgresQuery(CampaignStatements.served, shard.column, name, ids))
        let fights = try rows.map { row in
            let (id, adventureID, run) = try row.decode(PartyID.self, AdventureID.self, CampaignRunID?.self)
            return CampaignFight(of: id, adventureID, in: run)
        }
        return Dictionary(uniqueKeysWithValues: fights.map { ($0.partyID, $0) })
    }

    /// Some parties of this shard as they are now, by one statement; those that are no more are left out.
    public func parties(_ ids: [PartyID]) async throws -> [PartyID: Party] {
        try PartyStatements.decode(
            try await connection.query(PostgresQuery(PartyStatements.readSeveral, shard.column, ids))
        )
    }

    /// Records that a campaign has begun fights, in this very transaction.
    public mutating func serve(_ fights: [CampaignFight], for name: String) {
        guard !fights.isEmpty else { return }
        writes.append(
            PostgresQuery(
                CampaignStatements.serve,
                shard.column,
                name,
                fights.map(\.partyID),
                fights.map(\.adventureID),
                fights.map(\.run),
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
        SELECT p.party_id, p.adventure_id IS NOT NULL, f.adventure_id, f.run,
            NOT EXISTS (SELECT FROM members AS m WHERE m.shard = $1 AND m.party_id = p.party_id)
        FROM parties AS p
        LEFT JOIN campaign_fights AS f ON f.shard = $1 AND f.campaign = $2 AND f.party_id = p.party_id
        WHERE p.shard = $1 AND p.disbanded_at IS NULL AND ($3::uuid IS NULL OR p.party_id > $3)
        ORDER BY p.party_id
        LIMIT $4
        """
    )

    static let served = Statement(
        "campaign.served",
        """
        SELECT party_id, adventure_id, run
        FROM campaign_fights
        WHERE shard = $1 AND campaign = $2 AND party_id = ANY ($3)
        """
    )

    static let serve = Statement(
        "campaign.serve",
        """
        INSERT INTO campaign_fights (shard, campaign, party_id, adventure_id, run, started_at)
        SELECT $1, $2, f.party_id, f.adventure_id, f.run, $6
        FROM unnest($3::uuid[], $4::uuid[], $5::uuid[]) AS f (party_id, adventure_id, run)
        """
    )

    static func decode(_ row: PostgresRow, name: String) throws -> Campaign {
        let (boss, creator, at) = try row.decode(String.self, String.self, PostgresTimestamp.self)
        return Campaign(name: name, boss: BossID(rawValue: boss), createdBy: creator, createdAt: Timestamp(at))
    }
}
