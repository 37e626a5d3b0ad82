import Encodings
public import GameCore
public import GameLog
import PostgresClient

// Adventures with their events, for dispatchers, streams and operators.

extension GameStore {
    /// Returns adventures of one shard as of the shard's clock.
    ///
    /// Unknown identifiers are left out. Each adventure that cannot be played is a failure among the results.
    /// - Parameters:
    ///   - ids: the adventures.
    ///   - shard: their shard.
    ///   - observe: called with each event of the adventures, unless only the last state is known.
    /// - Returns: the adventures in the order of their identifiers.
    /// - Throws: `PostgresError`; ``StoreError/newerShard(_:requires:)``.
    public func adventures(
        _ ids: [AdventureID],
        of shard: Shard,
        observing observe: (AdventureID, StoredEvent) -> Void = { _, _ in }
    ) async throws -> [Result<StoredAdventure, StoreError>] {
        let rows = try await pool.query(PostgresQuery(AdventureStatements.readSeveral, shard.column, ids))
            .map { try AdventureRow($0, knowing: version) }
        let decisions = try await decisions(for: rows, in: shard)
        var results: [Result<StoredAdventure, StoreError>] = []
        for row in rows {
            let row = row.raidID.flatMap { decisions[$0] }.map { row.adding($0) } ?? row
            var events: [StoredEvent] = []
            do throws(StoreError) {
                let stored = try row.played(to: row.clock, appendingTo: &events)
                for event in events { observe(row.id, event) }
                await correctLateEnd(of: row.known(stored))
                results.append(.success(stored))
            } catch {
                await note(error, of: row.id)
                results.append(.failure(error))
            }
        }
        return results
    }

    /// Returns the decisions about the raids of fights, which all fights of a raid share: one query for each raid.
    ///
    /// A decision that the shard has taken since the fights were read is after their head of the log, and is left out.
    private func decisions(
        for rows: [AdventureRow],
        in shard: Shard
    ) async throws -> [RaidID: [AdventureRow.Entry]] {
        var decisions: [RaidID: [AdventureRow.Entry]] = [:]
        for (raidID, fights) in Dictionary(grouping: rows, by: \.raidID) {
            guard let raidID, let first = fights.map(\.startedAt).min() else { continue }
            let taken = RaidMemberStatements.taken(by: shard, since: first, about: raidID)
            decisions[raidID] = try await pool.query(taken).map(AdventureRow.Entry.init(decision:))
        }
        return decisions
    }

    /// Returns a page of an adventure's events after a sequence, oldest first; zero starts at the beginning.
    ///
    /// Without an adventure with this identifier the page is empty.
    public func events(of id: AdventureID, after sequence: Int, limit: Int) async throws -> [StoredEvent] {
        var page: [StoredEvent] = []
        let results = try await adventures([id], of: id.shard) { _, event in
            if event.sequence > sequence, page.count < limit { page.append(event) }
        }
        _ = try results.first?.get()
        return page
    }

    /// Replays an adventure from its opening, and compares the digests of its events and the moment of its end with the
    /// stored ones.
    /// - Returns: the adventure with all events; nil if there is none with this identifier.
    /// - Throws: ``StoreError/undecodable(table:id:reason:)`` with the first difference.
    public func replay(_ id: AdventureID) async throws -> (stored: StoredAdventure, events: Int)? {
        let rows = try await pool.query(AdventureStatements.read(id))
        guard let row = try rows.first.map({ try AdventureRow($0, knowing: version) }) else { return nil }
        guard row.isPlayable else { return (try row.played(to: row.clock), 0) }
        var events: [StoredEvent] = []
        let stored = try row.played(to: row.clock, appendingTo: &events)
        if row.endedAt != nil, row.endedAt != stored.endedAt {
            throw StoreError.undecodable(
                table: "adventures",
                id: id.description,
                reason: "its events are those that were recorded, but the moment of its end differs"
            )
        }
        return (stored, events.count)
    }
}
