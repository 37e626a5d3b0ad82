public import Encodings
public import GameCore
import PostgresClient

// What has ended for a while is removed in small batches, each in one shard. None takes the lock of a shard, since nobody
// plays with what it touches: an adventure that is over is changed by nobody else, and entries of the log below the
// checkpoint are read by nobody but those who ask for that adventure. A row that somebody has locked all the same is left
// out, or waited for as long as `lockTimeout` only: what was not removed is removed later.

/// What was removed of adventures.
public struct RemovedDetails: Sendable, Hashable {
    /// Adventures that lost them.
    public var adventures = 0
    /// Inputs of players and operators.
    public var inputs = 0
    /// Live Activities, with their tokens.
    public var activities = 0
    /// What was decided for activities.
    public var decisions = 0
}

/// A part of a walk that removes what it meets.
public struct RemovalStep<Place: Sendable & Equatable>: Sendable, Equatable {
    /// How many rows were removed.
    public let removed: Int
    /// The last place that was looked at, where there may be more behind it; nil when the walk is over.
    public let next: Place?
}

extension GameStore {
    /// Takes for ended what was registered as live before a moment, since no phone shows a card for so long: nobody sends to its
    /// environment, or its end could not be sent.
    /// - Parameters:
    ///   - moment: until when they were registered.
    ///   - shard: where.
    ///   - limit: how many at most.
    ///   - lockTimeout: how long to wait for a row that somebody has locked.
    /// - Returns: how many.
    /// - Throws: `PostgresError`.
    public func endActivities(
        registeredBefore moment: Timestamp,
        in shard: Shard,
        atMost limit: Int,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Int {
        try await run(
            PostgresQuery(RetentionStatements.outlived, shard.column, moment.postgres, Int64(limit)),
            lockTimeout: lockTimeout
        ).affectedRows
    }

    /// Removes inputs, activities and decisions of adventures that have ended before a moment, and notes it with each; their
    /// events are what ``removeEvents(of:after:recordedBefore:atMost:)`` removes from then on.
    ///
    /// One of which a phone is still to be told is left alone.
    /// - Parameters:
    ///   - moment: until when they ended.
    ///   - shard: where.
    ///   - limit: how many adventures at most, so that the transaction stays short.
    ///   - now: what is noted.
    ///   - lockTimeout: how long each statement waits for a row that somebody has locked.
    /// - Returns: what was removed.
    /// - Throws: `PostgresError`.
    public func removeDetails(
        ofAdventuresEndedBefore moment: Timestamp,
        in shard: Shard,
        atMost limit: Int,
        at now: Timestamp,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> RemovedDetails {
        try await pool.withTransaction { connection in
            let rows = try await connection.pipeline([
                LeaseStatements.patience(lockTimeout),
                PostgresQuery(RetentionStatements.mark, shard.column, moment.postgres, Int64(limit), now.postgres),
            ])
            let ids = try rows[1].map { try $0.decode(AdventureID.self) }
            guard !ids.isEmpty else { return RemovedDetails() }
            let removed = try await connection.pipeline(
                [
                    RetentionStatements.decisions, RetentionStatements.activities, RetentionStatements.inputs,
                    RetentionStatements.askedPushes,
                ].map { PostgresQuery($0, shard.column, ids) },
                committing: true
            )
            return RemovedDetails(
                adventures: ids.count,
                inputs: removed[2].affectedRows,
                activities: removed[1].affectedRows,
                decisions: removed[0].affectedRows
            )
        }
    }

    /// Removes events of adventures whose details are to be removed, along a shard's log.
    /// - Parameters:
    ///   - shard: whose log.
    ///   - position: the last position that the walk has come to; zero begins it.
    ///   - moment: where it ends, with the first that was recorded later; so it does at what a phone may still be owed.
    ///   - limit: how many entries to look at, at most.
    ///   - lockTimeout: how long to wait for a row that somebody has locked.
    /// - Returns: how many were removed, and where to go on.
    /// - Throws: `PostgresError`.
    public func removeEvents(
        of shard: Shard,
        after position: Int64,
        recordedBefore moment: Timestamp,
        atMost limit: Int,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> RemovalStep<Int64> {
        let rows = try await run(
            PostgresQuery(RetentionStatements.events, shard.column, position, moment.postgres, Int64(limit)),
            lockTimeout: lockTimeout
        )
        guard let row = rows.first else { return RemovalStep(removed: 0, next: nil) }
        let (removed, old, last) = try row.decode(Int64.self, Int64.self, Int64?.self)
        return RemovalStep(removed: Int(removed), next: old == Int64(limit) ? last : nil)
    }

    /// Removes what parties have left elsewhere that were disbanded before a moment, and all of whose adventures have lost
    /// their details: that players were in them, their codes, and their names.
    /// - Parameters:
    ///   - moment: until when they were disbanded.
    ///   - shard: where.
    ///   - limit: how many parties at most.
    ///   - now: what is noted with each.
    ///   - lockTimeout: how long each statement waits for a row that somebody has locked.
    /// - Returns: how many parties.
    /// - Throws: `PostgresError`; what was removed before stays removed, and the rest is done again.
    public func removeLeftovers(
        ofPartiesDisbandedBefore moment: Timestamp,
        in shard: Shard,
        atMost limit: Int,
        at now: Timestamp,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Int {
        let rows = try await pool.query(
            PostgresQuery(RetentionStatements.disbanded, shard.column, moment.postgres, Int64(limit))
        )
        let parties = try rows.map { try $0.decode(PartyID.self, InviteCode.self) }
        guard !parties.isEmpty else { return 0 }
        let ids = parties.map(\.0)
        let players = try await pool.query(PostgresQuery(RetentionStatements.guests, ids)).map {
            try $0.decode(PlayerID.self)
        }
        // Players and codes are at home all over, and each home is a transaction of its own.
        for (home, some) in Dictionary(grouping: players, by: \.shard) {
            _ = try await run(
                PostgresQuery(RetentionStatements.places, home.column, some, ids),
                lockTimeout: lockTimeout
            )
        }
        for (id, code) in parties {
            _ = try await run(PostgresQuery(RetentionStatements.code, code, id), lockTimeout: lockTimeout)
        }
        // The party's own row comes last: by that the work is known as done.
        return try await run(
            PostgresQuery(RetentionStatements.names, shard.column, ids, now.postgres),
            lockTimeout: lockTimeout
        ).affectedRows
    }

    /// Removes invite codes that no party has: replaced ones, and those of parties that never came to be.
    /// - Parameters:
    ///   - code: the last one that the walk has come to; nil begins it.
    ///   - moment: later ones stay, since a request that is under way may be about to use them.
    ///   - limit: how many to look at, at most.
    /// - Returns: how many were removed, and where to go on.
    /// - Throws: `PostgresError`.
    public func removeUnusedCodes(
        after code: InviteCode?,
        reservedBefore moment: Timestamp,
        atMost limit: Int
    ) async throws -> RemovalStep<InviteCode> {
        let rows = try await pool.query(PostgresQuery(RetentionStatements.reserved, code, Int64(limit)))
        let reserved = try rows.map { try $0.decode(InviteCode.self, PartyID.self) }
        var unused = Set(reserved.map(\.0))
        for (shard, some) in Dictionary(grouping: reserved, by: \.1.shard) {
            let used = try await pool.query(
                PostgresQuery(RetentionStatements.used, shard.column, some.map(\.1), some.map(\.0))
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

    /// Runs a statement in a transaction of its own, which waits for a row that somebody has locked for so long only.
    private func run(_ query: PostgresQuery, lockTimeout: Duration) async throws -> PostgresRows {
        try await pool.withTransaction { connection in
            try await connection.pipeline([LeaseStatements.patience(lockTimeout), query], committing: true)[1]
        }
    }
}

enum RetentionStatements {
    static let mark = Statement(
        "retention.mark",
        """
        UPDATE adventures
        SET details_removed_at = $4
        WHERE shard = $1 AND adventure_id IN (
            SELECT a.adventure_id
            FROM adventures AS a
            WHERE a.shard = $1 AND NOT a.live AND a.details_removed_at IS NULL AND a.ended_at < $2
                AND NOT EXISTS (
                    SELECT FROM activities AS v
                    WHERE v.shard = $1 AND v.adventure_id = a.adventure_id AND v.state = 'live'
                )
            ORDER BY a.ended_at
            LIMIT $3
            FOR NO KEY UPDATE SKIP LOCKED
        )
        RETURNING adventure_id
        """
    )

    static let decisions = Statement(
        "retention.decisions",
        "DELETE FROM activity_decisions WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    /// A phone that registers a card of a game of long ago is told its end, and that card goes another time.
    static let activities = Statement(
        "retention.activities",
        "DELETE FROM activities WHERE shard = $1 AND adventure_id = ANY ($2) AND state <> 'live'"
    )

    static let askedPushes = Statement(
        "retention.asked_pushes",
        "DELETE FROM asked_pushes WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    static let inputs = Statement(
        "retention.inputs",
        "DELETE FROM adventure_inputs WHERE shard = $1 AND adventure_id = ANY ($2)"
    )

    // Goes along the primary key, a page at a time, up to the first entry that is too young: all behind it are, but for clocks
    // that differ, so that what is kept is not read. What is above the checkpoint is still to be looked at by a dispatcher.
    static let events = Statement(
        "retention.events",
        """
        WITH page AS (
            SELECT e.position, e.at
            FROM events AS e
            WHERE e.shard = $1 AND e.position > $2
                AND e.position <= (SELECT l.checkpoint FROM leases AS l WHERE l.shard = $1)
            ORDER BY e.position
            LIMIT $4
        ), old AS (
            SELECT p.position
            FROM page AS p, (SELECT min(y.position) AS position FROM page AS y WHERE y.at >= $3) AS young
            WHERE young.position IS NULL OR p.position < young.position
        ), removed AS (
            DELETE FROM events AS e
            WHERE e.shard = $1 AND e.position > $2 AND e.position <= (SELECT max(o.position) FROM old AS o)
                AND EXISTS (
                    SELECT FROM adventures AS a
                    WHERE a.shard = $1 AND a.adventure_id = e.adventure_id AND a.details_removed_at IS NOT NULL
                )
            RETURNING e.position
        )
        SELECT (SELECT count(*) FROM removed), (SELECT count(*) FROM old), (SELECT max(position) FROM old)
        """
    )

    static let outlived = Statement(
        "retention.outlived",
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

    static let guests = Statement(
        "retention.guests",
        "SELECT DISTINCT player_id FROM player_parties WHERE party_id = ANY ($1)"
    )

    static let places = Statement(
        "retention.places",
        "DELETE FROM player_parties WHERE shard = $1 AND player_id = ANY ($2) AND party_id = ANY ($3)"
    )

    static let code = Statement(
        "retention.code",
        "DELETE FROM invite_codes WHERE invite_code = $1 AND party_id = $2"
    )

    static let names = Statement(
        "retention.names",
        """
        UPDATE parties SET name = '', leftovers_removed_at = $3
        WHERE shard = $1 AND party_id = ANY ($2) AND disbanded_at IS NOT NULL AND leftovers_removed_at IS NULL
        """
    )

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

    static let used = Statement(
        "retention.used",
        """
        SELECT invite_code FROM parties
        WHERE shard = $1 AND party_id = ANY ($2) AND invite_code = ANY ($3) AND disbanded_at IS NULL
        """
    )

    /// Passes over a code that somebody has locked, so that those behind it are removed.
    static let unused = Statement(
        "retention.unused",
        """
        DELETE FROM invite_codes
        WHERE invite_code = $1 AND reserved_at < $2
            AND invite_code IN (SELECT invite_code FROM invite_codes WHERE invite_code = $1 FOR UPDATE SKIP LOCKED)
        """
    )
}
