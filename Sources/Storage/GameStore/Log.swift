public import Encodings
import Foundation
public import GameCore
import PostgresClient

/// An entry of a shard's log.
public struct LogEntry: Sendable {
    /// The content of a log entry.
    public enum Content: Sendable {
        /// An event of the adventure; `sequence` counts from 1 within it.
        case event(AdventureEvent, sequence: Int)
        /// An app registered an activity or a new token for it; `sequence` is the adventure's newest at that time.
        case activityRegistered(ActivityID, sequence: Int)
        /// An app released an activity.
        case activityReleased(ActivityID)
        /// An operator requested a push to an activity.
        case activityPushRequested(ActivityID, RequestedPush.Event)
        /// An entry that this version cannot decode, with the reason; a newer version wrote it.
        case unreadable(StoreError)
    }

    /// The position in the shard's log: 1 and up, without gaps.
    public let position: Int64
    /// The adventure of the entry.
    public let adventureID: AdventureID
    /// The tick of the adventure.
    public let tick: Int
    /// When the entry was written.
    public let at: Timestamp
    /// The content of the entry.
    public let content: Content
    /// The trace of the request that caused the entry; nil for ticks, and without a tracer.
    public internal(set) var trace: TraceCarrier?
}

/// An event of an adventure.
public struct StoredEvent: Sendable {
    /// The sequence within the adventure, from 1.
    public let sequence: Int
    /// The tick in which it happened.
    public let tick: Int
    /// When it was recorded.
    public let at: Timestamp
    /// The event.
    public let event: AdventureEvent

    /// Creates an event.
    public init(sequence: Int, tick: Int, at: Timestamp, event: AdventureEvent) {
        self.sequence = sequence
        self.tick = tick
        self.at = at
        self.event = event
    }
}

extension ShardTransaction {
    /// Appends the newest events of an adventure to the log, in order.
    ///
    /// `stored` is the adventure after these events. Returns them with their sequences.
    @discardableResult
    public mutating func append(_ events: [AdventureEvent], of stored: StoredAdventure) throws -> [StoredEvent] {
        let first = stored.adventure.sequence - events.count + 1
        let trace = TraceCarrier.current
        return events.enumerated().map { offset, event in
            let record = StoredEvent(sequence: first + offset, tick: stored.adventure.tick, at: now, event: event)
            log.append(
                position: nextPosition(),
                adventureID: stored.id,
                sequence: record.sequence,
                tick: record.tick,
                kind: event.kind,
                at: now,
                body: EventCoding.body(of: event),
                trace: trace
            )
            return record
        }
    }

    /// Appends an entry about an activity: its registration, its release, or a requested push.
    mutating func append(_ kind: ActivityLogKind, of activityID: ActivityID, in stored: StoredAdventure) {
        log.append(
            position: nextPosition(),
            adventureID: stored.id,
            sequence: nil,
            tick: stored.adventure.tick,
            kind: kind.rawValue,
            at: now,
            body: ActivityEntry(activityID: activityID, sequence: stored.adventure.sequence).json,
            trace: .current
        )
    }
}

/// The body of a log entry about an activity.
private struct ActivityEntry: Codable {
    let activityID: ActivityID
    /// The adventure's newest sequence when the entry was made.
    let sequence: Int

    var json: JSONB { JSONB(#"{"activityID":"\#(activityID)","sequence":\#(sequence)}"#) }
}

/// The kinds of log entries about activities.
enum ActivityLogKind: String {
    case registered = "activityRegistered"
    case released = "activityReleased"
    case updateRequested = "activityUpdateRequested"
    case endRequested = "activityEndRequested"

    /// The kind of the entry that requests a push.
    init(requesting event: RequestedPush.Event) {
        switch event {
        case .update: self = .updateRequested
        case .end: self = .endRequested
        }
    }
}

extension GameStore {
    /// Returns a shard's log after a position, oldest first.
    ///
    /// Entries that cannot be decoded are ``LogEntry/Content/unreadable(_:)``.
    public func log(of shard: Shard, after position: Int64, limit: Int) async throws -> [LogEntry] {
        let rows = try await pool.query(PostgresQuery(LogStatements.tail, shard.column, position, Int64(limit)))
        return try rows.map { try LogStatements.decode($0, of: shard) }
    }

    /// Returns a page of an adventure's events after a sequence, oldest first; zero starts at the beginning.
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

/// Conversions between events and the columns `kind` and `body`.
enum EventCoding {
    /// Returns the event's JSON object including its kind, as stored in `events.body`.
    static func body(of event: AdventureEvent) -> JSONB { JSONB(utf8: event.json) }

    static func event(kind: String, body: JSONB, row: String) throws(StoreError) -> AdventureEvent {
        do {
            return try JSONDecoder().decode(AdventureEvent.self, from: Data(body.utf8))
        } catch {
            throw StoreError.undecodable(table: "events", id: row, reason: "kind '\(kind)': \(error)")
        }
    }

    static func content(kind: String, sequence: Int32?, body: JSONB, row: String) -> LogEntry.Content {
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
            case .updateRequested: .activityPushRequested(entry.activityID, .update)
            case .endRequested: .activityPushRequested(entry.activityID, .end)
            }
        } catch {
            return .unreadable(.undecodable(table: "events", id: row, reason: "kind '\(kind)': \(error)"))
        }
    }
}

/// The entries to insert, column by column, for a single statement.
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
        body: JSONB,
        trace: TraceCarrier?
    ) {
        positions.append(position)
        adventureIDs.append(adventureID)
        sequences.append(sequence.map(Int32.init))
        ticks.append(Int32(tick))
        kinds.append(kind)
        moments.append(moment.postgres)
        self.body.append(trace?.added(to: body) ?? body)
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
    /// Appends entries with one statement.
    static let append = Statement(
        "log.append",
        """
        INSERT INTO events (shard, position, adventure_id, sequence, tick, kind, at, body)
        SELECT $1, e.position, e.adventure_id, e.sequence, e.tick, e.kind, e.at, e.body
        FROM unnest($2::bigint[], $3::uuid[], $4::integer[], $5::integer[], $6::text[], $7::timestamptz[], $8::jsonb[])
            AS e (position, adventure_id, sequence, tick, kind, at, body)
        """
    )

    /// Reads at most `$3` entries after a position, along the primary key.
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

    /// Reads at most `$5` events of some adventures in a range, along the primary key.
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

    /// Reads at most `$4` events of an adventure through the index on sequences.
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

    static func decode(_ row: PostgresRow, of shard: Shard) throws -> LogEntry {
        let (position, adventureID, sequence, tick, kind, at, body) = try row.decode(
            Int64.self,
            AdventureID.self,
            Int32?.self,
            Int32.self,
            String.self,
            PostgresTimestamp.self,
            JSONB.self
        )
        return LogEntry(
            position: position,
            adventureID: adventureID,
            tick: Int(tick),
            at: Timestamp(at),
            content: EventCoding.content(
                kind: kind,
                sequence: sequence,
                body: body,
                row: "\(shard.rawValue)/\(position)"
            ),
            trace: TraceCarrier(body: body)
        )
    }
}
