public import Encodings
public import GameCore
import GameLog
import PostgresClient

// Expired data is removed in small batches, each in one shard. No batch takes a shard's lock, because the game does not
// use the rows concerned: an ended adventure no longer changes, and log entries below the checkpoint are read only
// together with their adventure. Rows locked by other sessions are skipped, or waited for no longer than `lockTimeout`:
// a later batch removes them.

/// The numbers of rows removed with the details of adventures.
public struct RemovedDetails: Sendable, Hashable {
    /// The number of adventures.
    public var adventures = 0
    /// The number of activities, with their tokens.
    public var activities = 0
    /// The number of activities' decision records.
    public var decisions = 0
}

/// The result of one step of a removal that walks along a table.
public struct RemovalStep<Cursor: Sendable & Equatable>: Sendable, Equatable {
    /// The number of rows removed.
    public let removed: Int
    /// The cursor of the next step; nil if the walk is complete.
    public let next: Cursor?
}

extension GameStore {
    /// Marks live activities registered before a moment as ended, because no device shows an activity for that long.
    ///
    /// Such activities are left over if no node sends to their environment, or if their end could not be sent.
    /// - Parameters:
    ///   - moment: activities that were registered before this time are marked.
    ///   - shard: the shard.
    ///   - limit: the maximum number of activities.
    ///   - lockTimeout: how long to wait for a locked row.
    /// - Returns: the number of activities ended.
    /// - Throws: `PostgresError`.
    public func endActivities(
        registeredBefore moment: Timestamp,
        in shard: Shard,
        limit: Int,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Int {
        try await run(
            PostgresQuery(RetentionStatements.endActivities, shard.column, moment.postgres, Int64(limit)),
            lockTimeout: lockTimeout
        ).affectedRows
    }

    /// Removes activities, decision records, receipts and requested pushes of adventures that ended before a moment, and
    /// marks the adventures.
    ///
    /// ``removeEntries(of:after:recordedBefore:limit:lockTimeout:)`` removes the log entries of marked adventures, except
    /// for their inputs, from which their events follow.
    ///
    /// Adventures with live activities are skipped.
    /// - Parameters:
    ///   - moment: the details of adventures that ended before this time are removed.
    ///   - shard: the shard.
    ///   - limit: the maximum number of adventures, which keeps the transaction short.
    ///   - now: the time to store in the mark.
    ///   - lockTimeout: how long each statement waits for a locked row.
    /// - Returns: the numbers of rows removed.
    /// - Throws: `PostgresError`.
    public func removeDetails(
        ofAdventuresEndedBefore moment: Timestamp,
        in shard: Shard,
        limit: Int,
        at now: Timestamp,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> RemovedDetails {
        try await pool.withTransaction { connection in
            let rows = try await connection.pipeline([
                LeaseStatements.setLockTimeout(lockTimeout),
                PostgresQuery(RetentionStatements.ended, shard.column, moment.postgres, Int64(limit)),
            ])
            let ids = try rows[1].map { try $0.decode(AdventureID.self) }
            guard !ids.isEmpty else { return RemovedDetails() }
            let removals = [
                RetentionStatements.decisions, RetentionStatements.activities, RetentionStatements.requestedPushes,
                RetentionStatements.receipts,
            ]
            let removed = try await connection.pipeline(
                [PostgresQuery(RetentionStatements.mark, shard.column, ids, now.postgres)]
                    + removals.map { PostgresQuery($0, shard.column, ids) },
                committing: true
            )
            return RemovedDetails(
                adventures: ids.count,
                activities: removed[2].affectedRows,
                decisions: removed[1].affectedRows
            )
        }
    }

    /// Removes the log entries of marked adventures, except for inputs, along a shard's log up to the checkpoint of its
    /// dispatcher.
    ///
    /// A dispatcher that loads a shard reads the log from its checkpoint on, and an event stream from the head on, so
    /// neither misses an entry.
    /// - Parameters:
    ///   - shard: the shard of the log.
    ///   - position: the last position of the previous step; zero for the first step.
    ///   - moment: the walk ends at the first entry recorded at this time or later, and at the checkpoint.
    ///   - limit: the maximum number of entries to read.
    ///   - lockTimeout: how long to wait for a locked row.
    /// - Returns: the number of rows removed, and the cursor of the next step.
    /// - Throws: `PostgresError`.
    public func removeEntries(
        of shard: Shard,
        after position: Int64,
        recordedBefore moment: Timestamp,
        limit: Int,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> RemovalStep<Int64> {
        let rows = try await run(
            PostgresQuery(
                RetentionStatements.entries,
                shard.column,
                position,
                moment.postgres,
                Int64(limit),
                LogKind.allCases.map(\.rawValue)
            ),
            lockTimeout: lockTimeout
        )
        guard let row = rows.first else { return RemovalStep(removed: 0, next: nil) }
        let (removed, old, last) = try row.decode(Int64.self, Int64.self, Int64?.self)
        return RemovalStep(removed: Int(removed), next: old == Int64(limit) ? last : nil)
    }

    /// Removes leftovers of parties disbanded before a moment: entries in players' lists of parties, invite codes, and
    /// names.
    ///
    /// Parties with adventures that still have their details are skipped.
    /// - Parameters:
    ///   - moment: the leftovers of parties that were disbanded before this time are removed.
    ///   - shard: the shard.
    ///   - limit: the maximum number of parties.
    ///   - now: the time to store with each party.
    ///   - lockTimeout: how long each statement waits for a locked row.
    /// - Returns: the number of parties.
    /// - Throws: `PostgresError`. Earlier removals of the call persist; the next call removes the rest.
    public func removeLeftovers(
        ofPartiesDisbandedBefore moment: Timestamp,
        in shard: Shard,
        limit: Int,
        at now: Timestamp,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Int {
        let rows = try await pool.query(
            PostgresQuery(RetentionStatements.disbanded, shard.column, moment.postgres, Int64(limit))
        )
        let parties = try rows.map { try $0.decode(PartyID.self, InviteCode.self) }
        guard !parties.isEmpty else { return 0 }
        let ids = parties.map(\.0)
        let players = try await pool.query(PostgresQuery(RetentionStatements.formerMembers, ids)).map {
            try $0.decode(PlayerID.self)
        }
        // Players and codes belong to many shards, and each shard needs a transaction of its own.
        for (home, players) in Dictionary(grouping: players, by: \.shard) {
            _ = try await run(
                PostgresQuery(RetentionStatements.memberships, home.column, players, ids),
                lockTimeout: lockTimeout
            )
        }
        for (id, code) in parties {
            _ = try await run(PostgresQuery(RetentionStatements.code, code, id), lockTimeout: lockTimeout)
        }
        // The party's own row comes last: it records that the work is complete.
        return try await run(
            PostgresQuery(RetentionStatements.names, shard.column, ids, now.postgres),
            lockTimeout: lockTimeout
        ).affectedRows
    }

    /// Removes invite codes that no party uses: replaced codes, and codes of parties that were never created.
    /// - Parameters:
    ///   - code: the last code of the previous step; nil for the first step.
    ///   - moment: codes reserved at this time or later stay, because a request in progress may be about to use them.
    ///   - limit: the maximum number of codes to read.
    /// - Returns: the number of codes removed, and the cursor of the next step.
    /// - Throws: `PostgresError`.
    public func removeUnusedCodes(
        after code: InviteCode?,
        reservedBefore moment: Timestamp,
        limit: Int
    ) async throws -> RemovalStep<InviteCode> {
        let rows = try await pool.query(PostgresQuery(RetentionStatements.reserved, code, Int64(limit)))
        let reserved = try rows.map { try $0.decode(InviteCode.self, PartyID.self) }
        var unused = Set(reserved.map(\.0))
        for (shard, codes) in Dictionary(grouping: reserved, by: \.1.shard) {
            let used = try await pool.query(
                PostgresQuery(RetentionStatements.used, shard.column, codes.map(\.1), codes.map(\.0))
            )
            for row in used { unused.remove(try row.decode(InviteCode.self)) }
        }
        var removed = 0
        for (code, _) in reserved where unused.contains(code) {
            let query = PostgresQuery(RetentionStatements.unused, code, moment.postgres)
            removed += try await pool.query(query).affectedRows
        }
        return RemovalStep(removed: removed, next: reserved.count == limit ? reserved.last?.0 : nil)
    }

    /// Runs a statement in a transaction of its own with a lock timeout.
    private func run(_ query: PostgresQuery, lockTimeout: Duration) async throws -> PostgresRows {
        try await pool.withTransaction { connection in
            try await connection.pipeline([LeaseStatements.setLockTimeout(lockTimeout), query], committing: true)[1]
        }
    }
}

enum RetentionStatements {
    /// Locks at most `$3` ended adventures without live activities, along the index on ends, skipping locked rows.
    static let ended = Statement(
        "retention.ended",
        """
        SELECT a.adventure_id
        FROM adventures AS a
        WHERE a.shard = $1 AND a.ended_at IS NOT NULL AND a.details_removed_at IS NULL AND a.ended_at < $2
            AND NOT EXISTS (
                SELECT FROM activities AS v
                WHERE v.shard = $1 AND v.adventure_id = a.adventure_id AND v.state = 'live'
            )
        ORDER BY a.ended_at
        LIMIT $3
        FOR NO KEY UPDATE SKIP LOCKED
        """
    )

    /// Marks adventures by primary key.
    static let mark = Statement(
        "retention.mark",
        "UPDATE adventures SET details_removed_at = $3 WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    static let decisions = Statement(
        "retention.decisions",
        "DELETE FROM activity_decisions WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    /// Deletes activities that are not live.
    ///
    /// An app may register an activity for an adventure that ended long ago; that activity receives its end and is
    /// deleted later.
    static let activities = Statement(
        "retention.activities",
        "DELETE FROM activities WHERE shard = $1 AND adventure_id = ANY ($2) AND state <> 'live'"
    )

    static let receipts = Statement(
        "retention.receipts",
        "DELETE FROM activity_receipts WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    static let requestedPushes = Statement(
        "retention.requestedPushes",
        "DELETE FROM requested_pushes WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    /// Deletes log entries of marked adventures and of the kinds `$5`, except for inputs, among at most `$4` entries, along
    /// the index that has no inputs.
    ///
    /// Entries of other kinds may be inputs for newer versions.
    /// Stops at the first entry that is too recent, so that retained entries are not read: later entries are more
    /// recent, except for clock differences. Entries above the checkpoint are still pending for a dispatcher.
    static let entries = Statement(
        "retention.entries",
        """
        WITH page AS (
            SELECT e.position, e.at
            FROM log AS e
            WHERE e.shard = $1 AND e.position > $2 AND e.kind <> 'input'
                AND e.position <= (SELECT l.checkpoint FROM leases AS l WHERE l.shard = $1)
            ORDER BY e.position
            LIMIT $4
        ), old AS (
            SELECT p.position
            FROM page AS p, (SELECT min(y.position) AS position FROM page AS y WHERE y.at >= $3) AS young
            WHERE young.position IS NULL OR p.position < young.position
        ), removed AS (
            DELETE FROM log AS e
            WHERE e.shard = $1 AND e.position > $2 AND e.position <= (SELECT max(o.position) FROM old AS o)
                AND e.kind <> 'input' AND e.kind = ANY ($5)
                AND EXISTS (
                    SELECT FROM adventures AS a
                    WHERE a.shard = $1 AND a.adventure_id = e.adventure_id AND a.details_removed_at IS NOT NULL
                )
            RETURNING e.position
        )
        SELECT (SELECT count(*) FROM removed), (SELECT count(*) FROM old), (SELECT max(position) FROM old)
        """
    )

    /// Ends at most `$3` live activities through the partial index on live activities, skipping locked rows.
    static let endActivities = Statement(
        "retention.endActivities",
        """
        UPDATE activities
        SET state = 'ended'
        WHERE shard = $1 AND state = 'live' AND registered_at < $2
            AND (adventure_id, activity_id) IN (
                SELECT v.adventure_id, v.activity_id
                FROM activities AS v
                WHERE v.shard = $1 AND v.state = 'live' AND v.registered_at < $2
                LIMIT $3
                FOR NO KEY UPDATE SKIP LOCKED
            )
        """
    )

    /// Reads at most `$3` disbanded parties along the index on disbanding times.
    static let disbanded = Statement(
        "retention.disbanded",
        """
        SELECT p.party_id, p.invite_code
        FROM parties AS p
        WHERE p.shard = $1 AND p.disbanded_at < $2 AND p.leftovers_removed_at IS NULL
            AND NOT EXISTS (
                SELECT FROM adventures AS a
                WHERE a.shard = $1 AND a.party_id = p.party_id AND a.details_removed_at IS NULL
            )
        ORDER BY p.disbanded_at
        LIMIT $3
        """
    )

    /// Reads the players with a party in their list, of all shards, through the index on parties.
    static let formerMembers = Statement(
        "retention.formerMembers",
        "SELECT DISTINCT player_id FROM player_parties WHERE party_id = ANY ($1)"
    )

    /// Deletes parties from players' lists by primary key.
    static let memberships = Statement(
        "retention.memberships",
        "DELETE FROM player_parties WHERE shard = $1 AND player_id = ANY ($2) AND party_id = ANY ($3)"
    )

    static let code = Statement(
        "retention.code",
        "DELETE FROM invite_codes WHERE invite_code = $1 AND party_id = $2"
    )

    /// Clears the names of disbanded parties and marks them, by primary key.
    static let names = Statement(
        "retention.names",
        """
        UPDATE parties SET name = '', leftovers_removed_at = $3
        WHERE shard = $1 AND party_id = ANY ($2) AND disbanded_at IS NOT NULL AND leftovers_removed_at IS NULL
        """
    )

    /// Reads at most `$2` invite codes after `$1`, along the primary key.
    static let reserved = Statement(
        "retention.reserved",
        """
        SELECT invite_code, party_id
        FROM invite_codes
        WHERE $1::text IS NULL OR invite_code > $1
        ORDER BY invite_code
        LIMIT $2
        """
    )

    /// Reads which invite codes parties use, by the parties' primary key.
    static let used = Statement(
        "retention.used",
        """
        SELECT invite_code FROM parties
        WHERE shard = $1 AND party_id = ANY ($2) AND invite_code = ANY ($3) AND disbanded_at IS NULL
        """
    )

    /// Deletes an invite code, unless its row is locked.
    static let unused = Statement(
        "retention.unused",
        """
        DELETE FROM invite_codes
        WHERE invite_code = $1 AND reserved_at < $2
            AND invite_code IN (SELECT invite_code FROM invite_codes WHERE invite_code = $1 FOR UPDATE SKIP LOCKED)
        """
    )
}
