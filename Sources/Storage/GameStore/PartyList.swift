public import Encodings
import Foundation
public import GameCore
import PostgresClient

/// A party in a list of parties.
public struct PartySummary: Sendable, Hashable {
    /// The party.
    public let id: PartyID
    /// The name given by its founder.
    public let name: String
    /// The leader.
    public let leaderID: PlayerID
    /// The maximum number of members.
    public let capacity: Int
    /// The number of members.
    public internal(set) var members: Int
    /// The running adventure; nil for an idle party.
    public let adventureID: AdventureID?
    /// When it was created.
    public let createdAt: Timestamp
}

/// The state of a party.
public enum PartyState: String, Sendable, Hashable, CaseIterable {
    /// Parties without a running adventure.
    case idle
    /// Parties with a running adventure.
    case running

    fileprivate func matches(_ party: PartySummary) -> Bool {
        switch self {
        case .idle: party.adventureID == nil
        case .running: party.adventureID != nil
        }
    }
}

/// A filter for lists of parties.
public struct PartyFilter: Sendable, Hashable {
    private let state: PartyState?
    private let name: String?

    /// Creates a filter.
    /// - Parameters:
    ///   - state: the state of the parties; nil for any state.
    ///   - name: a part of the parties' names, in upper or lower case; nil for any name.
    public init(state: PartyState? = nil, name: String? = nil) {
        self.state = state
        self.name = name
    }

    /// Returns whether a party passes the filter.
    public func matches(_ party: PartySummary) -> Bool {
        state?.matches(party) != false
            && name.map { party.name.range(of: $0, options: .caseInsensitive) != nil } != false
    }
}

/// A page of a list of parties.
public struct PartyPage: Sendable, Hashable {
    /// The parties, by shard, then by identifier.
    ///
    /// May be fewer than requested.
    public let parties: [PartySummary]
    /// The cursor of the next page; nil if this is the last page.
    public let next: PartyID?

    /// Creates a page.
    public init(parties: [PartySummary], next: PartyID?) {
        self.parties = parties
        self.next = next
    }
}

extension GameStore {
    /// The maximum number of rows scanned for a page, which takes a few milliseconds.
    private static let maxScannedParties = 1_000

    /// Returns parties of all shards that are not disbanded.
    /// - Parameters:
    ///   - cursor: the last party of the previous page; nil for the first page.
    ///   - filter: the filter; by default all parties pass.
    ///   - limit: the maximum number of parties.
    /// - Returns: a page. A page with fewer parties than `limit` need not be the last.
    /// - Throws: `PostgresError`.
    public func parties(
        after cursor: PartyID?,
        filter: PartyFilter = PartyFilter(),
        limit: Int
    ) async throws -> PartyPage {
        let scan = max(Self.maxScannedParties, limit + 1)
        let rows = try await pool.query(
            PostgresQuery(
                PartyListStatements.scan,
                cursor.map(\.shard.column) ?? -1,
                cursor ?? PartyListStatements.first,
                Int64(scan)
            )
        )
        let scanned = try rows.map(PartyListStatements.decode)
        let found = scanned.filter { !$0.isDisbanded && filter.matches($0.party) }.map(\.party)
        let page = Array(found.prefix(limit))
        let last = found.count > limit ? page.last : scanned.count == scan ? scanned.last?.party : nil
        return PartyPage(parties: try await counted(page), next: last?.id)
    }

    /// Returns parties in the order of their identifiers, without missing and disbanded ones.
    public func parties(_ ids: [PartyID]) async throws -> [PartySummary] {
        let rows = try await pool.query(PostgresQuery(PartyListStatements.read, ids.map(\.shard.column), ids))
        return try await counted(try rows.map(PartyListStatements.decode).filter { !$0.isDisbanded }.map(\.party))
    }

    /// Returns the parties that a player is a member of, in the order of their identifiers.
    public func parties(of playerID: PlayerID) async throws -> [PartySummary] {
        let memberships = try await partyIDs(of: playerID).map { Membership(of: playerID, in: $0) }
        return try await parties(try await currentMemberships(among: Set(memberships)).map(\.partyID))
    }

    /// Returns the parties with their numbers of members.
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

    /// An identifier before all others.
    static let first = PartyID(rawValue: .init(bytes: [UInt8](repeating: 0, count: 16)))

    /// Reads at most `$3` parties after a cursor, along the primary key.
    static let scan = Statement(
        "partyList.scan",
        """
        SELECT \(columns) FROM parties AS p
        WHERE (p.shard, p.party_id) > ($1, $2)
        ORDER BY p.shard, p.party_id
        LIMIT $3
        """
    )

    /// Reads parties by primary key.
    static let read = Statement(
        "partyList.read",
        """
        SELECT \(columns)
        FROM unnest($1::smallint[], $2::uuid[]) AS requested (shard, party_id)
        JOIN parties AS p ON p.shard = requested.shard AND p.party_id = requested.party_id
        WHERE p.shard = ANY ($1)
        ORDER BY p.party_id
        """
    )

    /// Counts the members of parties along the primary key.
    static let members = Statement(
        "partyList.members",
        """
        SELECT m.party_id, count(*)
        FROM unnest($1::smallint[], $2::uuid[]) AS requested (shard, party_id)
        JOIN members AS m ON m.shard = requested.shard AND m.party_id = requested.party_id
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
