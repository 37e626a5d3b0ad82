public import Encodings
public import Foundation
public import GameCore
public import PostgresClient

/// A boss fight that an operator starts for every idle party.
public struct Campaign: Sendable, Hashable {
    /// The name, chosen by the operator.
    ///
    /// Using an existing name continues that campaign.
    public let name: String
    /// The boss.
    public let boss: BossID
    /// The operator who started the campaign.
    public let createdBy: String
    /// When the campaign was started.
    public let createdAt: Timestamp

    /// Creates a campaign.
    public init(name: String, boss: BossID, createdBy: String, createdAt: Timestamp) {
        self.name = name
        self.boss = boss
        self.createdBy = createdBy
        self.createdAt = createdAt
    }
}

/// The identifier of one run of a campaign: one execution of a program that takes its steps.
public struct CampaignRunID: EntityID, PostgresEncodable, PostgresDecodable {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from a UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// A boss fight started by a campaign.
public struct CampaignFight: Sendable, Hashable {
    /// The party.
    public let partyID: PartyID
    /// The fight.
    public let adventureID: AdventureID
    /// The run that started the fight; nil if the run had no identifier.
    public let run: CampaignRunID?

    /// Creates a fight.
    public init(of partyID: PartyID, _ adventureID: AdventureID, in run: CampaignRunID?) {
        self.partyID = partyID
        self.adventureID = adventureID
        self.run = run
    }
}

/// A party, with the facts that a campaign needs.
public struct CampaignCandidate: Sendable, Hashable {
    /// The party.
    public let partyID: PartyID
    /// Whether it is on an adventure.
    public let isBusy: Bool
    /// The fight that the campaign has started for the party; nil if there is none.
    public let fight: CampaignFight?
    /// Whether the party has no members.
    public let isEmpty: Bool
}

extension AuditAction {
    /// A campaign was started.
    public static let campaignBegin = Self(rawValue: "campaign.begin")
}

extension GameStore {
    /// Starts a campaign and records it in the audit log, unless a campaign with its name exists.
    /// - Parameters:
    ///   - campaign: the campaign.
    ///   - author: the operator who starts it.
    /// - Returns: the campaign with that name, which may have another boss.
    /// - Throws: `PostgresError`.
    public func begin(_ campaign: Campaign, by author: AuditAuthor) async throws -> Campaign {
        // Every step except the first finds the campaign here, without a lock.
        if let stored = try await self.campaign(campaign.name) { return stored }
        return try await withAuditLog { transaction in
            try await transaction.begin(campaign, by: author)
        }
    }

    /// Returns the campaign with a name; nil if there is none.
    public func campaign(_ name: String) async throws -> Campaign? {
        try await pool.query(PostgresQuery(CampaignStatements.read, name)).first.map { row in
            try CampaignStatements.decode(row, name: name)
        }
    }

    /// Returns parties of a shard that are not disbanded, in the order of their identifiers.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - name: the campaign's name. The campaign need not exist.
    ///   - cursor: the last party of the previous page; nil for the first page.
    ///   - limit: the maximum number of parties.
    /// - Returns: the parties, with the facts that the campaign needs.
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
    /// Starts a campaign under the lock of the operators' shard, which serialises concurrent starts.
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

    /// Returns the fights that a campaign has already started for the given parties of this shard.
    public func fights(of name: String, among ids: [PartyID]) async throws -> [PartyID: CampaignFight] {
        let rows = try await connection.query(PostgresQuery(CampaignStatements.fights, shard.column, name, ids))
        let fights = try rows.map { row in
            let (id, adventureID, run) = try row.decode(PartyID.self, AdventureID.self, CampaignRunID?.self)
            return CampaignFight(of: id, adventureID, in: run)
        }
        return Dictionary(uniqueKeysWithValues: fights.map { ($0.partyID, $0) })
    }

    /// Records fights that a campaign starts in this transaction.
    public mutating func insert(_ fights: [CampaignFight], for name: String) {
        guard !fights.isEmpty else { return }
        writes.append(
            PostgresQuery(
                CampaignStatements.insertFights,
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
    /// Inserts a campaign, identified by its name.
    static let insert = Statement(
        "campaign.insert",
        "INSERT INTO campaigns (name, boss, created_by, created_at) VALUES ($1, $2, $3, $4)"
    )

    /// Reads a campaign by primary key.
    static let read = Statement("campaign.read", "SELECT boss, created_by, created_at FROM campaigns WHERE name = $1")

    /// Reads at most `$4` parties along their primary key, and looks up fights and members by theirs.
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

    /// Reads the campaign's fights of some parties by primary key.
    static let fights = Statement(
        "campaign.fights",
        """
        SELECT party_id, adventure_id, run
        FROM campaign_fights
        WHERE shard = $1 AND campaign = $2 AND party_id = ANY ($3)
        """
    )

    /// Inserts fights of a campaign.
    ///
    /// The primary key admits one per party and campaign.
    static let insertFights = Statement(
        "campaign.insertFights",
        """
        INSERT INTO campaign_fights (shard, campaign, party_id, adventure_id, run, started_at)
        SELECT s.shard, $2, f.party_id, f.adventure_id, f.run, $6
        FROM shards AS s, unnest($3::uuid[], $4::uuid[], $5::uuid[]) AS f (party_id, adventure_id, run)
        WHERE s.shard = $1
        """
    )

    static func decode(_ row: PostgresRow, name: String) throws -> Campaign {
        let (boss, creator, at) = try row.decode(String.self, String.self, PostgresTimestamp.self)
        return Campaign(name: name, boss: BossID(rawValue: boss), createdBy: creator, createdAt: Timestamp(at))
    }
}
