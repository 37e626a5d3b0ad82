public import Encodings
import Foundation
public import GameCore
import PostgresClient

/// A stored adventure.
public struct StoredAdventure: Sendable {
    /// The identifier.
    ///
    /// Its last byte is the shard of the party.
    public let id: AdventureID
    /// The party on the adventure.
    public let partyID: PartyID
    /// The state of the game.
    public var adventure: Adventure
    /// When it started.
    public let startedAt: Timestamp
    /// When it ended; nil while it is running.
    public var endedAt: Timestamp?
    /// When its events and inputs were removed, some time after its end; nil while they are stored.
    public internal(set) var detailsRemovedAt: Timestamp?
    /// The phase of a journey's ticks, in hundredths of the tick interval; nil for a boss fight.
    public let phase: Int?
    /// The deadline of a boss fight's open turn; nil for a journey and for a fight that has ended.
    public var turnDueAt: Timestamp?

    /// Creates an adventure that is not stored yet.
    public init(id: AdventureID, partyID: PartyID, adventure: Adventure, startedAt: Timestamp, phase: Int?) {
        self.init(id: id, partyID: partyID, adventure: adventure, startedAt: startedAt, endedAt: nil, phase: phase)
    }

    init(
        id: AdventureID,
        partyID: PartyID,
        adventure: Adventure,
        startedAt: Timestamp,
        endedAt: Timestamp?,
        phase: Int?,
        turnDueAt: Timestamp? = nil
    ) {
        self.id = id
        self.partyID = partyID
        self.adventure = adventure
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.phase = phase
        self.turnDueAt = turnDueAt
    }
}

extension ShardTransaction {
    /// Returns an adventure of this shard; nil if there is none with this identifier.
    public func adventure(_ id: AdventureID) async throws -> StoredAdventure? {
        let rows = try await connection.query(PostgresQuery(AdventureStatements.read, shard.column, [id]))
        return try rows.first.map(AdventureStatements.decode)
    }

    /// Returns the journeys that tick on the given phases.
    ///
    /// Each row that cannot be decoded is a failure among the results.
    public func journeys(onPhases phases: [Int]) async throws -> [Result<StoredAdventure, StoreError>] {
        let rows = try await connection.query(
            PostgresQuery(AdventureStatements.journeys, shard.column, phases.map(Int16.init))
        )
        return try rows.map(AdventureStatements.decodeIfPossible)
    }

    /// Returns the boss fights whose open turn is due, longest overdue first.
    ///
    /// Each row that cannot be decoded is a failure among the results, and its deadline is postponed by `delay`.
    public mutating func dueFights(
        limit: Int,
        puttingOffUndecodable delay: Duration
    ) async throws -> [Result<StoredAdventure, StoreError>] {
        let rows = try await connection.query(
            PostgresQuery(AdventureStatements.dueFights, shard.column, now.postgres, Int64(limit))
        )
        return try rows.map { row in
            let row = try AdventureRow(row)
            let fight = Result { () throws(StoreError) in try row.stored() }
            if case .failure = fight { turns.set(row.id, dueAt: now + delay) }
            return fight
        }
    }

    /// Records a new adventure after its start, together with its opening for replays.
    public mutating func insert(_ stored: StoredAdventure, opening: Adventure) throws {
        precondition(stored.id.shard == shard, "adventure \(stored.id) belongs to another shard than \(shard.rawValue)")
        writes.append(
            PostgresQuery(
                AdventureStatements.insert,
                shard.column,
                stored.id,
                stored.partyID,
                stored.adventure.kind,
                stored.phase.map(Int16.init),
                Int32(stored.adventure.tick),
                Int32(stored.adventure.sequence),
                stored.adventure.encoded,
                opening.encoded,
                stored.startedAt.postgres
            )
        )
        if stored.phase != nil { journeys += 1 }
        if let due = stored.turnDueAt { turns.set(stored.id, dueAt: due) }
    }

    /// Records the newest state of an adventure and, in a boss fight, the deadline of its open turn.
    ///
    /// An adventure that has ended is closed at ``now``.
    public mutating func update(_ stored: StoredAdventure) throws {
        precondition(stored.id.shard == shard, "adventure \(stored.id) belongs to another shard than \(shard.rawValue)")
        adventures.append(stored, state: stored.adventure.encoded)
        if case .ended(let outcome) = stored.adventure.status {
            finalWrites.append(
                PostgresQuery(AdventureStatements.close, shard.column, stored.id, outcome, now.postgres)
            )
            if stored.phase != nil { journeys -= 1 }
        }
        guard stored.phase == nil else { return }
        if let due = stored.turnDueAt {
            turns.set(stored.id, dueAt: due)
        } else {
            turns.remove(stored.id)
        }
    }

    /// Records an input other than a tick for replays, with the adventure's state before it.
    public mutating func record(_ input: AdventureInput, before: Adventure, of id: AdventureID) throws {
        writes.append(
            PostgresQuery(
                AdventureStatements.recordInput,
                shard.column,
                id,
                Int32(before.sequence),
                Int32(before.tick),
                JSONB(utf8: Array(try JSONEncoder().encode(input))),
                now.postgres
            )
        )
    }
}

extension GameStore {
    /// Returns an adventure; nil if there is none with this identifier.
    public func adventure(_ id: AdventureID) async throws -> StoredAdventure? {
        try await adventures([id], of: id.shard).first?.get()
    }

    /// Returns adventures of one shard.
    ///
    /// Unknown identifiers are left out.
    ///
    /// Each row that cannot be decoded is a failure among the results.
    public func adventures(
        _ ids: [AdventureID],
        of shard: Shard
    ) async throws -> [Result<StoredAdventure, StoreError>] {
        let rows = try await pool.query(PostgresQuery(AdventureStatements.read, shard.column, ids))
        return try rows.map(AdventureStatements.decodeIfPossible)
    }
}

/// The stored record of an adventure, for replays.
///
/// Ticks are not stored because they follow from the rest.
public struct AdventureRecord: Sendable {
    /// The adventure before any input, including its seed.
    ///
    /// The first input is `.start`.
    public let opening: Adventure
    /// The inputs other than `.start` and ticks, in order, each with the adventure's sequence before it.
    public let inputs: [(sequence: Int, input: AdventureInput)]
    /// All events up to ``newest``.
    public let events: [StoredEvent]
    /// The state of the adventure when the record was read.
    public let newest: Adventure
    /// When events and inputs were removed, which makes a replay impossible; nil while they are stored.
    public let detailsRemovedAt: Timestamp?
}

extension GameStore {
    /// Returns the record of an adventure; nil if there is none with this identifier.
    ///
    /// The newest state is read first. Later inputs and events have a higher sequence and are left out.
    public func record(of id: AdventureID) async throws -> AdventureRecord? {
        guard let stored = try await adventure(id) else { return nil }
        let newest = stored.adventure
        let shard = id.shard.column
        let opening = try await pool.query(PostgresQuery(AdventureStatements.opening, shard, id))
        guard let opening = opening.first else { return nil }
        let inputs = try await pool.query(
            PostgresQuery(AdventureStatements.inputs, shard, id, Int32(newest.sequence))
        )
        return AdventureRecord(
            opening: try AdventureCoding.decode(try opening.decode(String.self), of: id),
            inputs: try inputs.map { row in
                let (sequence, input) = try row.decode(Int32.self, JSONB.self)
                return (Int(sequence), try AdventureCoding.decode(input: input, of: id))
            },
            events: try await events(of: id, after: 0, limit: newest.sequence),
            newest: newest,
            detailsRemovedAt: stored.detailsRemovedAt
        )
    }
}

enum AdventureCoding {
    static func decode(_ state: String, of id: AdventureID) throws(StoreError) -> Adventure {
        do {
            return try Adventure(encoded: state)
        } catch {
            throw StoreError.undecodable(table: "adventures", id: id.description, reason: error.reason)
        }
    }

    static func decode(input: JSONB, of id: AdventureID) throws(StoreError) -> AdventureInput {
        do {
            return try JSONDecoder().decode(AdventureInput.self, from: Data(input.utf8))
        } catch {
            throw StoreError.undecodable(table: "adventure_inputs", id: id.description, reason: "\(error)")
        }
    }
}

/// The adventures to update, column by column, for a single statement.
struct AdventureColumns {
    private var ids: [AdventureID] = []
    private var states: [String] = []
    private var ticks: [Int32] = []
    private var sequences: [Int32] = []

    var count: Int { ids.count }

    mutating func append(_ stored: StoredAdventure, state: String) {
        ids.append(stored.id)
        states.append(state)
        ticks.append(Int32(stored.adventure.tick))
        sequences.append(Int32(stored.adventure.sequence))
    }

    func queries(shard: Shard) -> [PostgresQuery] {
        guard !ids.isEmpty else { return [] }
        return [PostgresQuery(AdventureStatements.advance, shard.column, ids, states, ticks, sequences)]
    }
}

/// The turn deadlines to set and to remove, column by column.
struct TurnColumns {
    private var ids: [AdventureID] = []
    private var moments: [PostgresTimestamp] = []
    private var removed: [AdventureID] = []

    mutating func set(_ id: AdventureID, dueAt moment: Timestamp) {
        ids.append(id)
        moments.append(moment.postgres)
    }

    mutating func remove(_ id: AdventureID) {
        removed.append(id)
    }

    func queries(shard: Shard) -> [PostgresQuery] {
        var queries: [PostgresQuery] = []
        if !ids.isEmpty {
            queries.append(PostgresQuery(AdventureStatements.setTurns, shard.column, ids, moments))
        }
        if !removed.isEmpty {
            queries.append(PostgresQuery(AdventureStatements.removeTurns, shard.column, removed))
        }
        return queries
    }
}

enum AdventureStatements {
    private static let columns =
        "a.adventure_id, a.party_id, a.state, a.started_at, a.ended_at, a.phase, t.due_at, a.details_removed_at"

    /// Reads adventures by primary key, with the deadline of an open turn.
    static let read = Statement(
        "adventure.read",
        """
        SELECT \(columns)
        FROM adventures AS a
        LEFT JOIN boss_turns AS t ON t.shard = $1 AND t.adventure_id = a.adventure_id
        WHERE a.shard = $1 AND a.adventure_id = ANY ($2)
        ORDER BY a.adventure_id
        """
    )

    /// Reads the running journeys of some phases through the partial index on phases.
    static let journeys = Statement(
        "adventure.journeys",
        """
        SELECT a.adventure_id, a.party_id, a.state, a.started_at, a.ended_at, a.phase, NULL::timestamptz,
            a.details_removed_at
        FROM adventures AS a
        WHERE a.shard = $1 AND a.live AND a.phase IS NOT NULL AND a.phase = ANY ($2)
        ORDER BY a.adventure_id
        """
    )

    /// Reads at most `$3` boss fights whose deadline has passed, through the index on deadlines.
    static let dueFights = Statement(
        "adventure.dueFights",
        """
        SELECT \(columns)
        FROM boss_turns AS t
        JOIN adventures AS a ON a.shard = $1 AND a.adventure_id = t.adventure_id
        WHERE t.shard = $1 AND t.due_at <= $2
        ORDER BY t.due_at, t.adventure_id
        LIMIT $3
        """
    )

    static let insert = Statement(
        "adventure.insert",
        """
        INSERT INTO adventures
            (shard, adventure_id, party_id, kind, live, phase, tick, sequence, state, opening, started_at)
        VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8, $9, $10)
        """
    )

    /// Updates adventures, looking each of them up by primary key.
    ///
    /// An additional `= ANY ($2)` would make a prepared plan compare every row with every identifier, because
    /// PostgreSQL estimates 10 identifiers there and one row here: 30 ms for 400 adventures instead of 2.
    static let advance = Statement(
        "adventure.advance",
        """
        UPDATE adventures AS a
        SET state = u.state, tick = u.tick, sequence = u.sequence
        FROM unnest($2::uuid[], $3::text[], $4::integer[], $5::integer[]) AS u (adventure_id, state, tick, sequence)
        WHERE a.shard = $1 AND a.adventure_id = u.adventure_id AND a.live
        """
    )

    static let close = Statement(
        "adventure.close",
        "UPDATE adventures SET live = false, outcome = $3, ended_at = $4 WHERE shard = $1 AND adventure_id = $2"
    )

    static let recordInput = Statement(
        "adventure.recordInput",
        """
        INSERT INTO adventure_inputs (shard, adventure_id, sequence, tick, input, at)
        VALUES ($1, $2, $3, $4, $5, $6)
        """
    )

    static let opening = Statement(
        "adventure.opening",
        "SELECT opening FROM adventures WHERE shard = $1 AND adventure_id = $2"
    )

    static let inputs = Statement(
        "adventure.inputs",
        """
        SELECT sequence, input
        FROM adventure_inputs
        WHERE shard = $1 AND adventure_id = $2 AND sequence < $3
        ORDER BY sequence
        """
    )

    static let setTurns = Statement(
        "adventure.setTurns",
        """
        INSERT INTO boss_turns (shard, adventure_id, due_at)
        SELECT $1, u.adventure_id, u.due_at FROM unnest($2::uuid[], $3::timestamptz[]) AS u (adventure_id, due_at)
        ON CONFLICT (shard, adventure_id) DO UPDATE SET due_at = excluded.due_at
        """
    )

    static let removeTurns = Statement(
        "adventure.removeTurns",
        "DELETE FROM boss_turns WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    static func decode(_ row: PostgresRow) throws -> StoredAdventure {
        try AdventureRow(row).stored()
    }

    static func decodeIfPossible(_ row: PostgresRow) throws -> Result<StoredAdventure, StoreError> {
        let row = try AdventureRow(row)
        return Result { () throws(StoreError) in try row.stored() }
    }
}

/// The columns of an adventure, with its state not yet decoded.
private struct AdventureRow {
    let id: AdventureID
    let partyID: PartyID
    let state: String
    let startedAt: PostgresTimestamp
    let endedAt: PostgresTimestamp?
    let phase: Int16?
    let dueAt: PostgresTimestamp?
    let detailsRemovedAt: PostgresTimestamp?

    init(_ row: PostgresRow) throws {
        (id, partyID, state, startedAt, endedAt, phase, dueAt, detailsRemovedAt) = try row.decode(
            AdventureID.self,
            PartyID.self,
            String.self,
            PostgresTimestamp.self,
            PostgresTimestamp?.self,
            Int16?.self,
            PostgresTimestamp?.self,
            PostgresTimestamp?.self
        )
    }

    func stored() throws(StoreError) -> StoredAdventure {
        var stored = StoredAdventure(
            id: id,
            partyID: partyID,
            adventure: try AdventureCoding.decode(state, of: id),
            startedAt: Timestamp(startedAt),
            endedAt: endedAt.map { Timestamp($0) },
            phase: phase.map(Int.init),
            turnDueAt: dueAt.map { Timestamp($0) }
        )
        stored.detailsRemovedAt = detailsRemovedAt.map { Timestamp($0) }
        return stored
    }
}
