public import GameCore
public import GameLog
import PostgresClient

// Spectators watch a party with a link, of which the row in the party's shard has only a hash.

/// A party that spectators watch.
public struct WatchedParty: Hashable, Sendable {
    /// The party.
    public let id: PartyID
    /// Its running adventure; nil for none.
    public let adventureID: AdventureID?
}

extension ShardTransaction {
    /// Returns the link of a party of this shard and the random bytes from which it is derived; nil if the party is closed
    /// to spectators.
    package func spectatorLink(of id: PartyID) async throws -> (link: SpectatorLink, salt: [UInt8])? {
        let rows = try await connection.query(PostgresQuery(SpectatorStatements.read, shard.column, id))
        return try rows.first.map { row in
            let (hash, salt) = try row.decode([UInt8].self, [UInt8].self)
            return (SpectatorLink(in: shard, hash: hash), salt)
        }
    }

    /// Opens a party of this shard to spectators; another link that it had is worth nothing from then on.
    package mutating func open(_ id: PartyID, to link: SpectatorLink, salt: [UInt8]) {
        writes.append(
            PostgresQuery(SpectatorStatements.open, shard.column, id, link.hash, salt, now.postgres)
        )
    }

    /// Closes a party of this shard to spectators.
    package mutating func closeToSpectators(_ id: PartyID) { writes.append(SpectatorStatements.close(id)) }
}

extension GameStore {
    /// Returns the party that a link leads to; nil if the link is worth nothing.
    public func watchedParty(by link: SpectatorLink) async throws -> WatchedParty? {
        try await pool.query(PostgresQuery(SpectatorStatements.find, link.shard.column, link.hash)).first.map { row in
            let (id, adventureID) = try row.decode(PartyID.self, AdventureID?.self)
            return WatchedParty(id: id, adventureID: adventureID)
        }
    }

    /// Returns the links among the given ones that lead to a party now, in any shards.
    public func openLinks(among links: Set<SpectatorLink>) async throws -> Set<SpectatorLink> {
        let candidates = Array(links)
        let rows = try await pool.query(
            PostgresQuery(SpectatorStatements.valid, candidates.map(\.shard.column), candidates.map(\.hash))
        )
        return Set(
            try rows.map { row in
                let (shard, hash) = try row.decode(Int16.self, [UInt8].self)
                return SpectatorLink(in: Shard(rawValue: UInt8(truncatingIfNeeded: shard)), hash: hash)
            }
        )
    }

    /// Returns those of some parties that are open to spectators, without those on machines that do not respond.
    public func watchedParties(among parties: [PartyID]) async throws -> [WatchedParty] {
        guard !parties.isEmpty else { return [] }
        return try await rows(of: Set(parties.map(\.shard)).sorted()) { shards in
            PostgresQuery(SpectatorStatements.watched, shards.map(\.column), parties)
        }.map { row in
            let (id, adventureID) = try row.decode(PartyID.self, AdventureID?.self)
            return WatchedParty(id: id, adventureID: adventureID)
        }
    }

    /// Returns the newest adventure of each of some parties that has any, running or not.
    public func newestAdventures(of parties: [PartyID]) async throws -> [PartyID: AdventureID] {
        guard !parties.isEmpty else { return [:] }
        let rows = try await rows(of: Set(parties.map(\.shard)).sorted()) { shards in
            PostgresQuery(SpectatorStatements.last, shards.map(\.column), parties)
        }
        return Dictionary(try rows.map { try $0.decode(PartyID.self, AdventureID.self) }, uniquingKeysWith: { $1 })
    }
}

enum SpectatorStatements {
    /// Inserts a link, or replaces that of the party, by primary key.
    static let open = Statement(
        "spectators.open",
        """
        INSERT INTO spectators (shard, party_id, link_hash, salt, opened_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (shard, party_id) DO UPDATE
        SET link_hash = excluded.link_hash, salt = excluded.salt, opened_at = excluded.opened_at
        """
    )

    static let close = Statement("spectators.close", "DELETE FROM spectators WHERE shard = $1 AND party_id = $2")

    static let read = Statement(
        "spectators.read",
        "SELECT link_hash, salt FROM spectators WHERE shard = $1 AND party_id = $2"
    )

    /// Looks up a link through its index, and its party by primary key.
    static let find = Statement(
        "spectators.find",
        """
        SELECT p.party_id, p.adventure_id
        FROM spectators AS s
        JOIN parties AS p ON p.shard = $1 AND p.party_id = s.party_id
        WHERE s.shard = $1 AND s.link_hash = $2
        """
    )

    /// Looks up links through their index.
    static let valid = Statement(
        "spectators.valid",
        """
        SELECT shard, link_hash
        FROM unnest($1::smallint[], $2::bytea[]) AS requested (shard, link_hash)
        JOIN spectators AS s USING (shard, link_hash)
        WHERE s.shard = ANY ($1)
        """
    )

    /// Reads those of some parties that are open to spectators, by primary keys.
    static let watched = Statement(
        "spectators.watched",
        """
        SELECT p.party_id, p.adventure_id
        FROM spectators AS s
        JOIN parties AS p ON p.shard = s.shard AND p.party_id = s.party_id
        WHERE s.shard = ANY ($1) AND p.shard = ANY ($1) AND s.party_id = ANY ($2)
        """
    )

    /// Reads the newest adventure of parties, along the index on parties.
    static let last = Statement(
        "spectators.last",
        """
        SELECT DISTINCT ON (party_id) party_id, adventure_id
        FROM adventures
        WHERE shard = ANY ($1) AND party_id = ANY ($2)
        ORDER BY party_id, adventure_id DESC
        """
    )

    static func close(_ id: PartyID) -> PostgresQuery { PostgresQuery(close, id.shard.column, id) }
}
