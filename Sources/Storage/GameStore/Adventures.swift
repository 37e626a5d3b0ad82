import Encodings
public import GameCore
public import GameLog
import Logging
import PostgresClient
import RangersMetrics

extension ShardTransaction {
    /// Returns an adventure of this shard, played up to ``now``, including changes recorded in this transaction; nil if
    /// there is none with this identifier.
    ///
    /// If it has ended, and its end is not recorded yet, it is closed.
    public mutating func adventure(_ id: AdventureID) async throws -> StoredAdventure? {
        if let changed = adventures[id] { return changed }
        let known = timelines[id]
        let read = try await timelines.timeline(
            id,
            in: try await connection.query(AdventureStatements.read(id, after: known)),
            after: known,
            knowing: opened.knownVersion,
            to: opened.clock
        ) { try await connection.query($0) }
        guard let read else { return nil }
        let stored = playOn(read.stored)
        if !read.isClosed, stored.endedAt != nil {
            if read.endsTooLate(for: now, stoppedFor: row.stoppedFor) { notes.append(.lateEnd(id)) }
            close(stored)
        }
        return stored
    }

    private func row(of id: AdventureID) async throws -> AdventureRow? {
        try await connection.query(AdventureStatements.read(id)).first.map {
            try AdventureRow($0, knowing: opened.knownVersion)
        }
    }

    /// Plays an adventure from the shard's clock up to ``now``, with the outage that this transaction found.
    private func playOn(_ stored: StoredAdventure) -> StoredAdventure {
        var stored = stored
        var events: [StoredEvent] = []
        if let outage { stored.postpone(by: outage.duration, at: outage.at, appendingTo: &events) }
        stored.play(to: now)
        return stored
    }

    /// Starts an adventure at ``now``, and records its opening.
    /// - Parameters:
    ///   - id: its identifier.
    ///   - partyID: its party.
    ///   - opening: its value before the start.
    ///   - interval: the tick interval of a journey, or how long a turn of a fight stays open.
    /// - Returns: the adventure with the events of its start.
    public mutating func start(
        _ id: AdventureID,
        of partyID: PartyID,
        with opening: Adventure,
        interval: Duration
    ) -> (StoredAdventure, [StoredEvent]) {
        precondition(id.shard == shard, "adventure \(id) belongs to another shard than \(shard.rawValue)")
        var events: [StoredEvent] = []
        let stored = StoredAdventure(
            id,
            of: partyID,
            starting: opening,
            at: now,
            interval: interval,
            appendingTo: &events
        )
        writes.append(
            PostgresQuery(
                AdventureStatements.insert,
                shard.column,
                id,
                partyID,
                opening.kind,
                opening.encoded,
                now.postgres,
                interval.wholeMicroseconds,
                indexed(stored.projectedEnd).postgres,
                opening.raid?.raidID
            )
        )
        require(opening.rules)
        count(1, of: opening.kind)
        append(.started, of: id, digest: stored.digest)
        adventures[id] = stored
        return (stored, events)
    }

    /// Applies an input to an adventure at ``now``, and records it with its effects.
    ///
    /// An adventure that ends by the input is closed.
    /// - Parameters:
    ///   - input: the input.
    ///   - stored: the adventure, from this transaction.
    /// - Returns: the events of the input.
    /// - Throws: ``AdventureRefusal`` if the rules do not allow the input; errors of the store.
    public mutating func apply(_ input: AdventureInput, to stored: inout StoredAdventure) async throws -> [StoredEvent]
    {
        guard let encoded = input.encoded else { preconditionFailure("'\(input)' follows from the rest") }
        var ticks: [StoredEvent] = []
        try stored.check(isDecidedBy: now)
        let events = try stored.take(input, at: now, appendingTo: &ticks)
        append(.input, of: stored.id, body: encoded, digest: stored.digest)
        if stored.endedAt != nil {
            close(stored)
        } else {
            adventures[stored.id] = stored
            reschedule(stored.id, at: stored.projectedEnd)
        }
        return events
    }

    /// Ends an adventure that cannot be played, in the state of its start, so that its party can go on.
    /// - Returns: its party, and the adventure, unless its opening cannot be decoded either: it then has no last state. Nil
    ///   if there is no live adventure with this identifier.
    public mutating func abandon(_ id: AdventureID) async throws -> (partyID: PartyID, adventure: StoredAdventure?)? {
        guard let row = try await row(of: id), row.endedAt == nil else { return nil }
        if let stored = try? row.abandoned(at: now) {
            close(stored)
            return (row.partyID, stored)
        }
        let kinds = try await connection.query(PostgresQuery(AdventureStatements.readKind, shard.column, id))
        if let kind = try kinds.first?.decode(AdventureKind.self) { count(-1, of: kind) }
        let outcome = AdventureOutcome.endedByOperator
        writes.append(PostgresQuery(AdventureStatements.abandon, shard.column, id, outcome, now.postgres))
        append(.ended, of: id)
        if var party = try await party(row.partyID) {
            party.endAdventure(experience: [:])
            update(party)
        }
        return (row.partyID, nil)
    }

    /// Closes the adventures whose end the clock has passed.
    /// - Parameter rows: rows of ``AdventureStatements/dueEnds``.
    /// - Throws: `PostgresError`. What cannot be played is noted and tried again later.
    mutating func closeEnded(_ rows: PostgresRows) throws {
        for row in try rows.map({ try AdventureRow($0, knowing: opened.knownVersion) })
        where row.endsAt + self.row.stoppedFor <= now {
            do {
                let stored = playOn(try row.played(to: opened.clock))
                if stored.endedAt != nil {
                    close(stored)
                } else {
                    reschedule(row.id, at: stored.projectedEnd)
                    notes.append(row.fault == nil ? .prematureEnd(row.id) : .playableAgain(row.id))
                }
            } catch {
                // Tried again later: a newer version of the program may be able to play it.
                reschedule(row.id, at: now + Self.faultRetryInterval, fault: "\(error)")
                notes.append(.unplayable(row.id, error))
            }
        }
    }

    /// How long an adventure that cannot be played is left alone.
    static let faultRetryInterval = Duration.seconds(600)

    /// Records when an adventure ends, or with a fault, when it is tried again.
    private mutating func reschedule(_ id: AdventureID, at moment: Timestamp, fault: String? = nil) {
        writes.append(
            PostgresQuery(AdventureStatements.reschedule, shard.column, id, indexed(moment).postgres, fault)
        )
    }

    /// Records the end of an adventure, and gives the heroes back to their party with the experience that they gained.
    mutating func close(_ stored: StoredAdventure) {
        let adventure = stored.adventure
        guard case .ended(let outcome) = adventure.status, let end = stored.endedAt else {
            preconditionFailure("adventure \(stored.id) has not ended")
        }
        let recorded = AdventureEnd(
            id: stored.id,
            partyID: stored.partyID,
            adventure: adventure,
            digest: stored.digest,
            outcome: outcome,
            startedAt: stored.startedAt,
            at: end,
            gainedExperience: stored.gainedExperience,
            raidDamage: stored.countedDamage
        )
        ends.append(recorded)
        count(-1, of: adventure.kind)
        append(.ended, of: stored.id, digest: stored.digest)
        adventures[stored.id] = stored
        if parties[stored.partyID]?.adventureID == stored.id {
            parties[stored.partyID]?.endAdventure(experience: recorded.experience)
        }
    }

    /// A moment as in `adventures.ends_at`, which outages do not change.
    private func indexed(_ moment: Timestamp) -> Timestamp { moment - row.stoppedFor }
}

extension GameStore {
    /// Returns an adventure as of its shard's clock; nil if there is none with this identifier.
    public func adventure(_ id: AdventureID) async throws -> StoredAdventure? {
        let known = timelines[id]
        let rows = try await pool.query(AdventureStatements.read(id, after: known))
        return try await adventure(id, in: rows, after: known)
    }

    /// Returns the adventure in the result of ``AdventureStatements/read(_:after:)``, as of its shard's clock.
    func adventure(_ id: AdventureID, in rows: PostgresRows, after known: KnownTimeline?) async throws
        -> StoredAdventure?
    {
        do {
            let read = try await timelines.timeline(id, in: rows, after: known, knowing: version) {
                try await pool.query($0)
            }
            guard let read else { return nil }
            if read.isClosed, read.hasFault { await clearFault(of: id) }
            await correctLateEnd(of: read)
            return read.stored
        } catch let error as StoreError {
            await note(error, of: id)
            throw error
        }
    }

    /// Counts that an adventure cannot be played, and the first time logs and records it, for `rangersctl doctor`.
    public func note(_ error: StoreError, of id: AdventureID) async {
        guard case .undecodable = error else { return }
        metrics.faults.add()
        let query = PostgresQuery(AdventureStatements.noteFault, id.shard.column, id, "\(error)")
        // The next reader notes it if the database does not respond.
        guard (try? await pool.query(query).affectedRows) == 1 else { return }
        logger.error("an adventure cannot be played", metadata: ["adventure": "\(id)", "error": "\(error)"])
    }

    /// Records that an ended adventure can be played again; that of a live one is recorded with its end.
    private func clearFault(of id: AdventureID) async {
        let query = PostgresQuery(AdventureStatements.clearFault, id.shard.column, id)
        guard (try? await pool.query(query).affectedRows) == 1 else { return }
        logger.notice("an adventure can be played again", metadata: ["adventure": "\(id)"])
    }

    /// Returns adventures that cannot be played, at most `limit`, each with the reason.
    public func faultyAdventures(limit: Int) async throws -> [(id: AdventureID, reason: String)] {
        try await pool.query(PostgresQuery(AdventureStatements.faulty, Int64(limit))).map { row in
            let (id, reason) = try row.decode(AdventureID.self, String.self)
            return (id, reason)
        }
    }
}

enum AdventureStatements {
    static let columns = """
        a.adventure_id, a.party_id, a.opening, a.started_at, a.tick_interval, a.ends_at, a.final_state, a.final_digest,
            a.ended_at, a.fault, a.raid_id, s.clock, s.head, s.digest, s.stopped_for,
            s.requires,
            i.positions, i.moments, i.bodies, i.digests, o.positions, o.moments, o.bodies
        """

    /// The inputs of each adventure from a position on, and its outages.
    ///
    /// The decisions about the raid of a raid fight may be among the inputs, with a `!` before the body. So is an entry of a
    /// kind that this version does not know, with the body `?KIND`: the adventure cannot be played past it.
    static func sources(from position: String, withDecisions: Bool = false) -> String {
        let decisions =
            """
            UNION ALL
                SELECT position, at, kind, body, digest FROM log
                WHERE a.raid_id IS NOT NULL AND shard = $1 AND kind = 'raid' AND at >= a.started_at
                    AND position >= \(position) AND starts_with(body, a.raid_id::text)
            """
        return """
            FROM adventures AS a
            JOIN shards AS s ON s.shard = $1
            LEFT JOIN LATERAL (
                SELECT array_agg(l.position ORDER BY l.position) AS positions,
                    array_agg(l.at ORDER BY l.position) AS moments,
                    array_agg(
                        CASE l.kind WHEN 'input' THEN l.body WHEN 'raid' THEN '!' || l.body ELSE '?' || l.kind END
                        ORDER BY l.position
                    ) AS bodies,
                    array_agg(l.digest ORDER BY l.position) AS digests
                FROM (
                    SELECT position, at, kind, body, digest FROM log
                    WHERE shard = $1 AND adventure_id = a.adventure_id AND position >= \(position)
                        AND kind NOT IN (\(LogKind.besideInputs))
                    \(withDecisions ? decisions : "")
                ) AS l
            ) AS i ON true
            LEFT JOIN LATERAL (
                SELECT array_agg(l.position ORDER BY l.position) AS positions,
                    array_agg(l.at ORDER BY l.position) AS moments, array_agg(l.body ORDER BY l.position) AS bodies
                FROM log AS l
                WHERE l.shard = $1 AND l.kind = 'outage' AND l.at >= a.started_at
                    AND (a.ended_at IS NULL OR l.at <= a.ended_at)
            ) AS o ON true
            """
    }

    /// Reads adventures by primary key, with their inputs from position `$3` on.
    ///
    /// Each fight of a raid has the decisions about the raid: for one adventure, in one round trip.
    static let read = Statement(
        "adventure.read",
        """
        SELECT \(columns)
        \(sources(from: "$3", withDecisions: true))
        WHERE a.shard = $1 AND a.adventure_id = ANY ($2)
        ORDER BY a.adventure_id
        """
    )

    /// Reads at most `$3` live adventures whose end has passed, through the index on ends.
    ///
    /// The ends of raid fights are found while their rounds are played.
    static let dueEnds = Statement(
        "adventure.dueEnds",
        """
        SELECT \(columns)
        \(sources(from: "0"))
        WHERE a.shard = $1 AND a.ended_at IS NULL AND a.kind <> 'raid'
            AND a.ends_at <= coalesce($2, statement_timestamp())
                - (SELECT stopped_for FROM shards WHERE shard = $1) * interval '1 microsecond'
        ORDER BY a.ends_at, a.adventure_id
        LIMIT $3
        """
    )

    /// Reads adventures by primary key, with all inputs except the decisions about raids.
    static let readSeveral = Statement(
        "adventure.readSeveral",
        """
        SELECT \(columns)
        \(sources(from: "0"))
        WHERE a.shard = $1 AND a.adventure_id = ANY ($2)
        ORDER BY a.adventure_id
        """
    )

    static let insert = Statement(
        "adventure.insert",
        """
        INSERT INTO adventures
            (shard, adventure_id, party_id, kind, opening, started_at, tick_interval, ends_at, raid_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
    )

    /// Records the new end of a live adventure, and why it cannot be played, by primary key.
    static let reschedule = Statement(
        "adventure.reschedule",
        "UPDATE adventures SET ends_at = $3, fault = $4 WHERE shard = $1 AND adventure_id = $2 AND ended_at IS NULL"
    )

    /// Records why an adventure cannot be played, by primary key, unless something is recorded already, or an operator
    /// has ended it.
    static let noteFault = Statement(
        "adventure.noteFault",
        """
        UPDATE adventures SET fault = $3
        WHERE shard = $1 AND adventure_id = $2 AND fault IS NULL AND (ended_at IS NULL OR final_digest IS NOT NULL)
        """
    )

    /// Records that an ended adventure can be played, by primary key.
    static let clearFault = Statement(
        "adventure.clearFault",
        """
        UPDATE adventures SET fault = NULL
        WHERE shard = $1 AND adventure_id = $2 AND fault IS NOT NULL AND ended_at IS NOT NULL
        """
    )

    /// Records the ends of adventures by primary key.
    static let close = Statement(
        "adventure.close",
        """
        UPDATE adventures AS a
        SET final_state = u.final_state, final_digest = u.final_digest, outcome = u.outcome, ended_at = u.ended_at,
            fault = NULL, raid_dealt = u.raid_dealt
        FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::bigint[])
            AS u (adventure_id, final_state, final_digest, outcome, ended_at, raid_dealt)
        WHERE a.shard = $1 AND a.adventure_id = u.adventure_id
        """
    )

    /// Reads the kind of an adventure by primary key, which its opening says, too.
    static let readKind = Statement(
        "adventure.readKind",
        "SELECT kind FROM adventures WHERE shard = $1 AND adventure_id = $2"
    )

    /// Records the end of an adventure without a state, by primary key.
    static let abandon = Statement(
        "adventure.abandon",
        "UPDATE adventures SET outcome = $3, ended_at = $4, fault = NULL WHERE shard = $1 AND adventure_id = $2"
    )

    /// Reads at most `$1` adventures of all shards that cannot be played, through their partial index.
    static let faulty = Statement(
        "adventure.faulty",
        """
        SELECT adventure_id, fault FROM adventures
        WHERE fault IS NOT NULL AND details_removed_at IS NULL
        ORDER BY shard, adventure_id
        LIMIT $1
        """
    )
}

/// The end of an adventure, to be recorded.
struct AdventureEnd: Sendable {
    let id: AdventureID
    let partyID: PartyID
    let adventure: Adventure
    let digest: EventDigest?
    let outcome: AdventureOutcome
    let startedAt: Timestamp
    let at: Timestamp
    /// The experience that each hero gained, by seat; empty for an adventure that could not be played.
    let gainedExperience: [Int]
    /// The damage of a raid fight; nil for other adventures.
    let raidDamage: Int?

    /// The experience of the heroes, by player.
    var experience: [PlayerID: Int] {
        Dictionary(adventure.heroes.map { ($0.playerID, $0.experience) }, uniquingKeysWith: { $1 })
    }
}

extension AdventureStatements {
    /// Returns the statements that record ends, of the adventures and in their parties, and what the players are to get.
    static func close(_ ends: [AdventureEnd], in shard: Shard) -> [PostgresQuery] {
        let adventures = PostgresQuery(
            close,
            shard.column,
            ends.map(\.id),
            // Whatever can be played says its last state itself.
            ends.map { $0.digest == nil ? $0.adventure.encoded : nil },
            ends.map { $0.digest.map { Int64(bitPattern: $0.value) } },
            ends.map(\.outcome),
            ends.map(\.at.postgres),
            ends.map { $0.raidDamage.map(Int64.init) }
        )
        let awards = AwardStatements.insert(ends.flatMap(\.awards), in: shard)
        return [adventures] + PartyStatements.end(ends, in: shard) + awards
    }
}
