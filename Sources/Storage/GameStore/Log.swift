public import Encodings
import Foundation
public import GameCore
import PostgresClient

/// One entry of a shard's log.
public struct LogRecord: Sendable {
    /// Its place in the log of its shard: 1 and up, without gaps.
    public let position: Int64
    /// The adventure it is of.
    public let adventureID: AdventureID
    /// The tick during which it happened.
    public let tick: Int
    /// When it was recorded.
    public let at: Timestamp
    /// What it says.
    public let entry: LogEntry
}

/// What an entry of the log says.
public enum LogEntry: Sendable {
    /// Something happened in the adventure; `sequence` counts from 1 within it.
    case event(Event, sequence: Int)
    /// A phone registered its Live Activity, or gave it a new token; `sequence` was the adventure's newest then.
    case activityRegistered(ActivityID, sequence: Int)
    /// A phone let go of its Live Activity.
    case activityReleased(ActivityID)
    /// An operator asks for a push to a Live Activity.
    case activityPushAsked(ActivityID, AskedPush.Event)
    /// What this version cannot read, with the reason: a newer one wrote it.
    case unreadable(StoreError)
}

/// One event of one adventure, as players read it.
public struct StoredEvent: Sendable {
    /// Counts from 1 within the adventure.
    public let sequence: Int
    /// The tick during which it happened.
    public let tick: Int
    /// When it was recorded.
    public let at: Timestamp
    /// What happened.
    public let event: Event

    /// An event with its place in its adventure.
    public init(sequence: Int, tick: Int, at: Timestamp, event: Event) {
        self.sequence = sequence
        self.tick = tick
        self.at = at
        self.event = event
    }
}

extension ShardTransaction {
    /// Appends the newest events of an adventure, in order, to the log; `stored` is the adventure after them.
    ///
    /// Gives them back as players read them.
    @discardableResult
    public mutating func append(_ events: [Event], of stored: StoredAdventure) throws -> [StoredEvent] {
        let first = stored.adventure.sequence - events.count + 1
        return events.enumerated().map { offset, event in
            let record = StoredEvent(sequence: first + offset, tick: stored.adventure.tick, at: now, event: event)
            log.append(
                position: nextPosition(),
                adventureID: stored.id,
                sequence: record.sequence,
                tick: record.tick,
                kind: event.kind,
                at: now,
                body: EventCoding.body(of: event)
            )
            return record
        }
    }

    /// Tells the dispatcher, through the log, that an activity was registered or let go of, or is to be pushed to.
    mutating func append(_ kind: ActivityLogKind, of activityID: ActivityID, in stored: StoredAdventure) {
        log.append(
            position: nextPosition(),
            adventureID: stored.id,
            sequence: nil,
            tick: stored.adventure.tick,
            kind: kind.rawValue,
            at: now,
            body: ActivityEntry(activityID: activityID, sequence: stored.adventure.sequence).json
        )
    }
}

/// What a log entry that is no event of the game says.
private struct ActivityEntry: Codable {
    let activityID: ActivityID
    /// The adventure's newest sequence when the entry was made.
    let sequence: Int

    var json: JSONB { JSONB(#"{"activityID":"\#(activityID)","sequence":\#(sequence)}"#) }
}

/// The kinds of log entries that are no events of the game.
enum ActivityLogKind: String {
    case registered = "activityRegistered"
    case released = "activityReleased"
    case updateAsked = "activityUpdateAsked"
    case endAsked = "activityEndAsked"

    /// The entry by which an operator asks for a push.
    init(askingFor event: AskedPush.Event) {
        switch event {
        case .update: self = .updateAsked
        case .end: self = .endAsked
        }
    }
}

extension GameStore {
    /// The log of a shard after a position, oldest first; an entry that cannot be read does not hold up the others.
    public func log(of shard: Shard, after position: Int64, limit: Int) async throws -> [LogRecord] {
        let rows = try await pool.query(PostgresQuery(LogStatements.tail, shard.column, position, Int64(limit)))
        return try rows.map { try LogStatements.decode($0, of: shard) }
    }

    /// A page of an adventure's events, oldest first, after a sequence; zero starts at the beginning.
    public func events(
        of adventureID: AdventureID,
        after sequence: Int,
        limit: Int
    ) async throws -> [StoredEvent] {
        let rows = try await pool.query(
            PostgresQuery(
                LogStatements.page,
                adventureID.shard.column,
                adventureID,
                Int32(clamping: sequence),
                Int64(limit)
            )
        )
        return try rows.map { row in
            let (sequence, tick, kind, at, body) = try row.decode(
                Int32.self,
                Int32.self,
                String.self,
                PostgresTimestamp.self,
                JSONB.self
            )
            return StoredEvent(
                sequence: Int(sequence),
                tick: Int(tick),
                at: Timestamp(at),
                event: try EventCoding.event(kind: kind, body: body, row: "\(adventureID)/\(sequence)")
            )
        }
    }
}

/// Between an event and its columns `kind` and `body`.
enum EventCoding {
    /// The event's JSON object, its kind included: what `events.body` holds.
    static func body(of event: Event) -> JSONB { JSONB(utf8: event.json) }

    static func event(kind: String, body: JSONB, row: String) throws(StoreError) -> Event {
        do {
            return try JSONDecoder().decode(Event.self, from: Data(body.utf8))
        } catch {
            throw StoreError.undecodable(table: "events", id: row, reason: "kind '\(kind)': \(error)")
        }
    }

    static func entry(kind: String, sequence: Int32?, body: JSONB, row: String) -> LogEntry {
        if let sequence {
            do {
                return .event(try event(kind: kind, body: body, row: row), sequence: Int(sequence))
            } catch {
                return .unreadable(error)
            }
        }
        guard let known = ActivityLogKind(rawValue: kind) else {
            return .unreadable(.undecodable(table: "events", id: row, reason: "unknown kind '\(kind)'"))
        }
        do {
            let entry = try JSONDecoder().decode(ActivityEntry.self, from: Data(body.utf8))
            return switch known {
            case .registered: .activityRegistered(entry.activityID, sequence: entry.sequence)
            case .released: .activityReleased(entry.activityID)
            case .updateAsked: .activityPushAsked(entry.activityID, .update)
            case .endAsked: .activityPushAsked(entry.activityID, .end)
            }
        } catch {
            return .unreadable(.undecodable(table: "events", id: row, reason: "kind '\(kind)': \(error)"))
        }
    }
}

/// The entries to insert, column by column: one statement however many there are.
struct LogColumns {
    private var positions: [Int64] = []
    private var adventureIDs: [AdventureID] = []
    private var sequences: [Int32?] = []
    private var ticks: [Int32] = []
    private(set) var kinds: [String] = []
    private var moments: [PostgresTimestamp] = []
    private var body: [JSONB] = []

    mutating func append(
        position: Int64,
        adventureID: AdventureID,
        sequence: Int?,
        tick: Int,
        kind: String,
        at moment: Timestamp,
        body: JSONB
    ) {
        positions.append(position)
        adventureIDs.append(adventureID)
        sequences.append(sequence.map(Int32.init))
        ticks.append(Int32(tick))
        kinds.append(kind)
        moments.append(moment.postgres)
        self.body.append(body)
    }

    func queries(shard: Shard) -> [PostgresQuery] {
        guard !positions.isEmpty else { return [] }
        return [
            PostgresQuery(
                LogStatements.append,
                shard.column,
                positions,
                adventureIDs,
                sequences,
                ticks,
                kinds,
                moments,
                body
            )
        ]
    }
}

enum LogStatements {
    static let append = Statement(
        "log.append",
        """
        INSERT INTO events (shard, position, adventure_id, sequence, tick, kind, at, body)
        SELECT $1, e.position, e.adventure_id, e.sequence, e.tick, e.kind, e.at, e.body
        FROM unnest($2::bigint[], $3::uuid[], $4::integer[], $5::integer[], $6::text[], $7::timestamptz[], $8::jsonb[])
            AS e (position, adventure_id, sequence, tick, kind, at, body)
        """
    )

    static let tail = Statement(
        "log.tail",
        """
        SELECT position, adventure_id, sequence, tick, kind, at, body
        FROM events
        WHERE shard = $1 AND position > $2
        ORDER BY position
        LIMIT $3
        """
    )

    static let followed = Statement(
        "log.followed",
        """
        SELECT position, adventure_id, sequence, tick, kind, at, body
        FROM events
        WHERE shard = $1 AND position > $2 AND position <= $3 AND adventure_id = ANY ($4) AND sequence IS NOT NULL
        ORDER BY position
        LIMIT $5
        """
    )

    static let page = Statement(
        "log.page",
        """
        SELECT sequence, tick, kind, at, body
        FROM events
        WHERE shard = $1 AND adventure_id = $2 AND sequence > $3 AND sequence IS NOT NULL
        ORDER BY sequence
        LIMIT $4
        """
    )

    static func decode(_ row: PostgresRow, of shard: Shard) throws -> LogRecord {
        let (position, adventureID, sequence, tick, kind, at, body) = try row.decode(
            Int64.self,
            AdventureID.self,
            Int32?.self,
            Int32.self,
            String.self,
            PostgresTimestamp.self,
            JSONB.self
        )
        return LogRecord(
            position: position,
            adventureID: adventureID,
            tick: Int(tick),
            at: Timestamp(at),
            entry: EventCoding.entry(
                kind: kind,
                sequence: sequence,
                body: body,
                row: "\(shard.rawValue)/\(position)"
            )
        )
    }
}
