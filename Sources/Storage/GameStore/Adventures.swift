public import Encodings
import Foundation
public import GameCore
import PostgresClient

/// An adventure as it is stored.
public struct StoredAdventure: Sendable {
    /// Its last byte is its party's shard.
    public let id: AdventureID
    /// Whose adventure it is.
    public let partyID: PartyID
    /// The game itself.
    public var adventure: Adventure
    /// When it started.
    public let startedAt: Timestamp
    /// When it ended; nil while it runs.
    public var endedAt: Timestamp?
    /// When its events and inputs were removed, some time after its end; nil while they are there.
    public internal(set) var detailsRemovedAt: Timestamp?
    /// Which hundredth of the interval a journey's ticks fall on; nil for a boss fight.
    public let phase: Int?
    /// The deadline of a boss fight's open turn; nil for a journey and for a fight that is over.
    public var turnDueAt: Timestamp?

    /// An adventure that is about to be stored.
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
    /// An adventure of this shard, nil when there is none with that identifier.
    public func adventure(_ id: AdventureID) async throws -> StoredAdventure? {
        let rows = try await connection.query(PostgresQuery(AdventureStatements.read, shard.column, [id]))
        return try rows.first.map(AdventureStatements.decode)
    }

    /// The journeys whose ticks fall on some phases; a row that cannot be decoded does not hold up the others.
    public func journeys(onPhases phases: [Int]) async throws -> [Result<StoredAdventure, StoreError>] {
        let rows = try await connection.query(
            PostgresQuery(AdventureStatements.journeys, shard.column, phases.map(Int16.init))
        )
        return try rows.map(AdventureStatements.decodeIfPossible)
    }

    /// The boss fights whose open turn is due, the longest overdue first.
    ///
    /// A row that cannot be decoded does not hold up the others: its deadline is put off by `delay`.
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

    /// Records a new adventure as it is after its start, and its value before any input for replays.
    public mutating func insert(_ stored: StoredAdventure, opening: Adventure) throws {
        precondition(stored.id.shard == shard, "an adventure is changed under the lock of its own shard")
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

    /// Records the newest value of an adventure and, in a boss fight, the deadline of its open turn.
    ///
    /// An adventure that has ended is closed at ``now``.
    public mutating func update(_ stored: StoredAdventure) throws {
        precondition(stored.id.shard == shard, "an adventure is changed under the lock of its own shard")
        adventures.append(stored, state: stored.adventure.encoded)
        if case .ended(let outcome) = stored.adventure.status {
            closings.append(
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

    /// Records an input other than a tick, with the adventure's value just before it, for replays.
    public mutating func record(_ input: Input, before: Adventure, of id: AdventureID) throws {
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
    /// An adventure, nil when there is none with that identifier.
    public func adventure(_ id: AdventureID) async throws -> StoredAdventure? {
        try await adventures([id], of: id.shard).first?.get()
    }

    /// Some adventures of one shard; those that do not exist are missing from the answer.
    ///
    /// A row that cannot be decoded does not hold up the others.
    public func adventures(
        _ ids: [AdventureID],
        of shard: Shard
    ) async throws -> [Result<StoredAdventure, StoreError>] {
        let rows = try await pool.query(PostgresQuery(AdventureStatements.read, shard.column, ids))
        return try rows.map(AdventureStatements.decodeIfPossible)
    }
}

/// All that is stored of an adventure, for replays; ticks are not stored, since they follow.
public struct AdventureRecord: Sendable {
    /// The adventure before any input, its seed inside; `.start` is its first input.
    public let opening: Adventure
    /// The inputs besides `.start` and ticks, in order, each with the adventure's sequence just before it.
    public let inputs: [(sequence: Int, input: Input)]
    /// Its events, all of them up to ``newest``.
    public let events: [StoredEvent]
    /// The adventure as it was when the record was read.
    public let newest: Adventure
    /// When events and inputs were removed, so that there is nothing to replay; nil while they are there.
    public let detailsRemovedAt: Timestamp?
}

extension GameStore {
    /// All that is stored of an adventure, nil when there is none with that identifier.
    ///
    /// The newest value is read first. What is written afterwards has a later sequence, and is left out.
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

    static func decode(input: JSONB, of id: AdventureID) throws(StoreError) -> Input {
        do {
            return try JSONDecoder().decode(Input.self, from: Data(input.utf8))
        } catch {
            throw StoreError.undecodable(table: "adventure_inputs", id: id.description, reason: "\(error)")
        }
    }
}

/// The adventures to update, column by column: one statement however many there are.
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

/// The deadlines to set and to remove, column by column.
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

    /// Looks each adventure up by its key.
    ///
    /// Were the identifiers asked for a second time, by `= ANY ($2)`, a prepared plan would compare each with each, since
    /// PostgreSQL guesses 10 rows there and one here: 30 ms for 400 adventures, and not 2.
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

/// The columns of an adventure, its state not yet decoded.
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
