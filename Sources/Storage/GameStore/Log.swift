public import Encodings
public import GameCore
public import GameLog
import Logging
import PostgresClient
import RangersMetrics

/// The kinds of log entries.
enum LogKind: String, CaseIterable {
    case started
    case input
    case ended
    case activityRegistered
    case activityReleased
    case activityUpdateRequested
    case activityEndRequested
    case outage
    case raid

    /// The version from which on programs know the kind.
    var since: RulesVersion {
        switch self {
        case .started, .input, .ended, .activityRegistered, .activityReleased, .activityUpdateRequested,
            .activityEndRequested, .outage:
            .v2
        case .raid: .raids
        }
    }

    /// The other known kinds of entries of adventures than inputs, as a list for SQL.
    static let besideInputs = allCases.filter { $0 != .input && $0 != .raid }.map { "'\($0.rawValue)'" }.joined(
        separator: ", "
    )

    /// The kind of the entry that requests a push.
    init(requesting event: RequestedPush.Event) {
        switch event {
        case .update: self = .activityUpdateRequested
        case .end: self = .activityEndRequested
        }
    }
}

extension ShardTransaction {
    /// Appends an entry to the log, at ``now`` if nothing else is given.
    mutating func append(
        _ kind: LogKind,
        of adventureID: AdventureID?,
        body: String = "",
        at moment: Timestamp? = nil,
        digest: EventDigest? = nil
    ) {
        row.head += 1
        require(kind.since)
        let entry = LogRow(
            position: row.head,
            at: moment ?? now,
            kind: kind.rawValue,
            adventureID: adventureID,
            body: TraceCarrier.current?.added(to: body) ?? body,
            digest: digest.map { Int64(bitPattern: $0.value) }
        )
        row.digest.add(entry)
        log.append(entry)
    }

    /// Appends an entry about an activity: its registration, its release, or a requested push.
    mutating func append(_ kind: LogKind, of activityID: ActivityID, in adventureID: AdventureID) {
        append(kind, of: adventureID, body: activityID.description)
    }
}

extension GameStore {
    /// Returns a shard's log after a position, oldest first.
    ///
    /// Entries that cannot be decoded are ``LogEntry/Content/unreadable(_:)``.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - position: the position after which entries are read.
    ///   - digest: the digest of the log up to that position; with another one, the entries' digests mean nothing.
    ///   - limit: the maximum number of entries.
    /// - Returns: the entries.
    /// - Throws: `PostgresError`.
    public func log(of shard: Shard, after position: Int64, digest: LogDigest = LogDigest(), limit: Int) async throws
        -> [LogEntry]
    {
        let rows = try await pool.query(PostgresQuery(LogStatements.tail, shard.column, position, Int64(limit)))
        return try LogCoding.entries(rows, after: digest, of: shard)
    }

    /// Returns the logs of several shards after a position each, in one round trip.
    /// - Parameters:
    ///   - heads: the shards, each with the position and digest up to which its log was read.
    ///   - limit: the maximum number of entries per shard.
    /// - Returns: the entries of each shard, oldest first, in the order of `heads`.
    /// - Throws: `PostgresError`.
    public func logs(after heads: [ShardHead], limit: Int) async throws -> [[LogEntry]] {
        let queries = heads.map { PostgresQuery(LogStatements.tail, $0.shard.column, $0.head, Int64(limit)) }
        let results = try await pool.withConnection { try await $0.pipeline(queries) }
        return try zip(heads, results).map { try LogCoding.entries($1, after: $0.digest, of: $0.shard) }
    }
}

extension GameStore {
    /// Counts, logs and notes that the log or the clock of a shard is not the one that was read, because the database lost
    /// commits, for example in a failover.
    /// - Parameters:
    ///   - head: the row of the shard as it is now.
    ///   - position: the position up to which its log was read.
    ///   - digest: the digest of the entries that were read; nil if it is not known.
    ///   - clock: the moment up to which the shard was played.
    public func reportFork(
        of head: ShardHead,
        readTo position: Int64,
        _ digest: LogDigest?,
        playedTo clock: Timestamp
    ) async {
        let lost = LostCommits(telling: head, readTo: position, digest, playedTo: clock)
        metrics.forks.add()
        let new = losses.new(lost, of: head)
        metrics.lostEntries.add(Int(new.entries))
        metrics.lostSeconds.add(Int((new.time / .seconds(1)).rounded(.up)))
        logger.error(
            "the log of a shard is not the one that was read: the database lost commits",
            metadata: [
                "shard": "\(head.shard.rawValue)", "position": "\(position)", "head": "\(head.head)",
                "lost-entries": "\(lost.entries)", "lost-time": "\(lost.time)",
            ]
        )
        do {
            let time = lost.time.wholeMicroseconds
            _ = try await pool.query(PostgresQuery(LeaseStatements.noteLoss, head.shard.column, lost.entries, time))
        } catch {
            logger.error("what the database has lost could not be noted", metadata: ["error": "\(error)"])
        }
    }
}

/// Conversions of log entries to and from rows.
enum LogCoding {
    static func body(ofOutage duration: Duration) -> String { "\(duration.wholeMicroseconds)" }

    /// Returns the first line of a body; a second one has the trace.
    private static func content(_ body: String) -> Substring { body.prefix { $0 != "\n" } }

    static func input(_ body: String) throws(AdventureDecodingError) -> AdventureInput {
        try AdventureInput(encoded: content(body))
    }

    /// Decodes the duration of an outage, a century at most, so that no moment after it is out of range.
    static func outage(_ body: String) -> Duration? {
        guard let microseconds = Int64(content(body)), (1...3_155_760_000_000_000).contains(microseconds) else {
            return nil
        }
        return .microseconds(microseconds)
    }

    /// The body of a decision about a raid: the raid, a space and the decision.
    static func body(of decision: RaidDecision, about raidID: RaidID) -> String { "\(raidID) \(decision.encoded)" }

    /// Decodes a decision about a raid.
    static func raid(_ body: String) throws(AdventureDecodingError) -> (RaidID, RaidDecision) {
        let line = content(body)
        guard let raidID = RaidID(String(line.prefix(36))) else {
            throw AdventureDecodingError(reason: "expected the UUID of a raid, found '\(line.prefix(36))'")
        }
        return (raidID, try RaidDecision(encoded: line.dropFirst(37)))
    }

    private static func activityID(_ body: String) -> ActivityID? { ActivityID(String(content(body))) }

    static func entries(_ rows: PostgresRows, after digest: LogDigest, of shard: Shard) throws -> [LogEntry] {
        var digest = digest
        return try rows.map { row in
            let (position, at, kind, adventureID, body, eventDigest) = try row.decode(
                Int64.self,
                PostgresTimestamp.self,
                String.self,
                AdventureID?.self,
                String.self,
                Int64?.self
            )
            let row = LogRow(
                position: position,
                at: Timestamp(at),
                kind: kind,
                adventureID: adventureID,
                body: body,
                digest: eventDigest
            )
            digest.add(row)
            return LogEntry(
                position: position,
                adventureID: adventureID,
                at: row.at,
                content: content(of: row, in: shard),
                isKnown: LogKind(rawValue: kind) != nil,
                eventDigest: eventDigest.map { UInt64(bitPattern: $0) },
                digest: digest,
                trace: TraceCarrier(body: body)
            )
        }
    }

    private static func content(of row: LogRow, in shard: Shard) -> LogEntry.Content {
        func unreadable(_ reason: String) -> LogEntry.Content {
            .unreadable(.undecodable(table: "log", id: "\(shard.rawValue)/\(row.position)", reason: reason))
        }
        guard let kind = LogKind(rawValue: row.kind) else { return unreadable("unknown kind '\(row.kind)'") }
        switch kind {
        case .started: return .started
        case .ended: return .ended
        case .input:
            do { return .input(try input(row.body)) } catch { return unreadable(error.reason) }
        case .raid:
            do throws(AdventureDecodingError) {
                let (raidID, decision) = try raid(row.body)
                return .raid(raidID, decision)
            } catch { return unreadable(error.reason) }
        case .outage:
            return outage(row.body).map { .outage($0) } ?? unreadable("'\(row.body)' is no duration")
        case .activityRegistered, .activityReleased, .activityUpdateRequested, .activityEndRequested:
            guard let id = activityID(row.body) else { return unreadable("'\(row.body)' is no activity") }
            return switch kind {
            case .activityRegistered: .activityRegistered(id)
            case .activityReleased: .activityReleased(id)
            case .activityUpdateRequested: .activityPushRequested(id, .update)
            default: .activityPushRequested(id, .end)
            }
        }
    }
}

enum LogStatements {
    /// Appends entries with one statement.
    ///
    /// Here and in other statements that insert rows of arrays, the row of `shards` tells Citus that all of them belong to
    /// one shard. Without it, the coordinator would copy the rows in two phases.
    static let append = Statement(
        "log.append",
        """
        INSERT INTO log (shard, position, at, kind, adventure_id, body, digest)
        SELECT s.shard, e.position, e.at, e.kind, e.adventure_id, e.body, e.digest
        FROM shards AS s,
            unnest($2::bigint[], $3::timestamptz[], $4::text[], $5::uuid[], $6::text[], $7::bigint[])
                AS e (position, at, kind, adventure_id, body, digest)
        WHERE s.shard = $1
        """
    )

    /// Reads at most `$3` entries after a position, along the primary key.
    static let tail = Statement(
        "log.tail",
        """
        SELECT position, at, kind, adventure_id, body, digest
        FROM log
        WHERE shard = $1 AND position > $2
        ORDER BY position
        LIMIT $3
        """
    )

    /// Reads the moment of an entry by primary key.
    static let moment = Statement("log.moment", "SELECT at FROM log WHERE shard = $1 AND position = $2")

    static func append(_ entries: [LogRow], to shard: Shard) -> PostgresQuery {
        PostgresQuery(
            append,
            shard.column,
            entries.map(\.position),
            entries.map(\.at.postgres),
            entries.map(\.kind),
            entries.map(\.adventureID),
            entries.map(\.body),
            entries.map(\.digest)
        )
    }
}
