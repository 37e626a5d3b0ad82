public import Encodings
public import GameCore
import PostgresClient

/// A party in a list.
public struct PartySummary: Sendable, Hashable {
    /// The party.
    public let id: PartyID
    /// As its founder named it.
    public let name: String
    /// Its leader.
    public let leaderID: PlayerID
    /// How many members it can have.
    public let capacity: Int
    /// How many members it has.
    public internal(set) var members: Int
    /// The running adventure, nil when the party is idle.
    public let adventureID: AdventureID?
    /// When it was founded.
    public let createdAt: Timestamp
}

/// Which parties a list is to have.
public enum PartyState: String, Sendable, Hashable, CaseIterable {
    /// Those that are on no adventure.
    case idle
    /// Those that are on one.
    case running

    /// Whether a party is in this state.
    public func holds(_ party: PartySummary) -> Bool {
        switch self {
        case .idle: party.adventureID == nil
        case .running: party.adventureID != nil
        }
    }
}

/// A page of parties.
public struct PartyPage: Sendable, Hashable {
    /// In the order of shards, then of identifiers: as many as asked for, or fewer, or none.
    public let parties: [PartySummary]
    /// Behind which party to go on; nil when this page is the last.
    public let next: PartyID?

    /// A page of these parties.
    public init(parties: [PartySummary], next: PartyID?) {
        self.parties = parties
        self.next = next
    }
}

extension GameStore {
    /// How many rows a page looks at, at most: however few of them it is asked for, the database has a few milliseconds'
    /// work.
    private static let partiesScanned = 1_000

    /// Parties that were not disbanded, whatever their shards.
    /// - Parameters:
    ///   - place: only those behind this one; nil begins at the first.
    ///   - state: only those in this state; nil for all.
    ///   - limit: how many at most.
    /// - Returns: a page; one that has fewer parties than asked for need not be the last.
    /// - Throws: `PostgresError`.
    public func parties(after place: PartyID?, in state: PartyState?, limit: Int) async throws -> PartyPage {
        let scan = max(Self.partiesScanned, limit + 1)
        let rows = try await pool.query(
            PostgresQuery(
                PartyListStatements.scan,
                place.map(\.shard.column) ?? -1,
                place ?? PartyListStatements.first,
                Int64(scan)
            )
        )
        let scanned = try rows.map(PartyListStatements.decode)
        let found = scanned.filter { !$0.isDisbanded && state?.holds($0.party) != false }.map(\.party)
        let page = Array(found.prefix(limit))
        let last = found.count > limit ? page.last : scanned.count == scan ? scanned.last?.party : nil
        return PartyPage(parties: try await counted(page), next: last?.id)
    }

    /// Some parties, without those that are not there or were disbanded, in the order of their identifiers.
    public func parties(_ ids: [PartyID]) async throws -> [PartySummary] {
        let rows = try await pool.query(PostgresQuery(PartyListStatements.read, ids.map(\.shard.column), ids))
        return try await counted(try rows.map(PartyListStatements.decode).filter { !$0.isDisbanded }.map(\.party))
    }

    /// The parties of which a player is a member at the moment, in the order of their identifiers.
    public func parties(of playerID: PlayerID) async throws -> [PartySummary] {
        let memberships = try await partyIDs(of: playerID).map { Membership(of: playerID, in: $0) }
        return try await parties(try await current(among: Set(memberships)).map(\.partyID))
    }

    /// The same parties with the number of their members.
    private func counted(_ parties: [PartySummary]) async throws -> [PartySummary] {
        guard !parties.isEmpty else { return [] }
        let ids = parties.map(\.id)
        let rows = try await pool.query(PostgresQuery(PartyListStatements.members, ids.map(\.shard.column), ids))
        let counts = try rows.map { try $0.decode(PartyID.self, Int64.self) }
        let members = Dictionary(counts.map { ($0.0, Int($0.1)) }, uniquingKeysWith: { $1 })
        return parties.map { party in
            var party = party
            party.members = members[party.id] ?? 0
            return party
        }
    }
}

enum PartyListStatements {
    private static let columns = """
        p.party_id, p.name, p.leader_id, p.capacity, p.adventure_id, p.created_at, p.disbanded_at IS NOT NULL
        """

    /// Before every identifier.
    static let first = PartyID(rawValue: .init(bytes: [UInt8](repeating: 0, count: 16)))

    /// Through the primary key, in its order.
    static let scan = Statement(
        "partyList.scan",
        """
        SELECT \(columns) FROM parties AS p
        WHERE (p.shard, p.party_id) > ($1, $2)
        ORDER BY p.shard, p.party_id
        LIMIT $3
        """
    )

    static let read = Statement(
        "partyList.read",
        """
        SELECT \(columns)
        FROM unnest($1::smallint[], $2::uuid[]) AS asked (shard, party_id)
        JOIN parties AS p ON p.shard = asked.shard AND p.party_id = asked.party_id
        WHERE p.shard = ANY ($1)
        ORDER BY p.party_id
        """
    )

    static let members = Statement(
        "partyList.members",
        """
        SELECT m.party_id, count(*)
        FROM unnest($1::smallint[], $2::uuid[]) AS asked (shard, party_id)
        JOIN members AS m ON m.shard = asked.shard AND m.party_id = asked.party_id
        WHERE m.shard = ANY ($1)
        GROUP BY m.party_id
        """
    )

    static func decode(_ row: PostgresRow) throws -> (party: PartySummary, isDisbanded: Bool) {
        let (id, name, leaderID, capacity, adventureID, createdAt, isDisbanded) = try row.decode(
            PartyID.self,
            String.self,
            PlayerID.self,
            Int16.self,
            AdventureID?.self,
            PostgresTimestamp.self,
            Bool.self
        )
        let party = PartySummary(
            id: id,
            name: name,
            leaderID: leaderID,
            capacity: Int(capacity),
            members: 0,
            adventureID: adventureID,
            createdAt: Timestamp(createdAt)
        )
        return (party, isDisbanded)
    }
}
