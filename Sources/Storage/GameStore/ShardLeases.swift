public import Encodings
public import Foundation
public import GameCore
public import GameLog
import PostgresClient

extension GameStore {
    /// Reads the shards without a lease.
    /// - Parameter grace: how long a registered dispatcher keeps its leases after it has expired; see
    ///   ``leaseSurvey(grace:)``.
    /// - Returns: the shards with their epochs.
    /// - Throws: `PostgresError`.
    public func unleasedShards(grace: Duration = .zero) async throws -> [Shard: Int64] {
        let query = freeLeases(besides: unreachableShards, grace: grace, for: nil)
        return try unleased(try await pool.query(query)).shards
    }

    /// Returns the query for the shards, besides those of machines that do not respond, that are without a lease, or that
    /// a dispatcher holds.
    func freeLeases(besides away: Set<Shard>, grace: Duration, for own: UUID?) -> PostgresQuery {
        let shards = away.isEmpty ? Shard.all : Shard.all.filter { !away.contains($0) }
        return PostgresQuery(LeaseStatements.free, grace.wholeMicroseconds, own, shards.map(\.column))
    }

    /// - Parameters:
    ///   - rows: the shards without a lease, and those of a dispatcher.
    ///   - own: that dispatcher.
    /// - Returns: the shards without a lease and those of the dispatcher, with their epochs; a moment at which the former
    ///   were without a lease, and their last holders as far as these did not release them one by one.
    /// - Throws: `PostgresError`.
    func unleased(
        _ rows: PostgresRows,
        besidesThoseOf own: UUID? = nil
    ) throws -> (shards: [Shard: Int64], own: [Shard: Int64], moment: Timestamp, holders: [Shard: UUID]) {
        var shards: [Shard: Int64] = [:]
        var ownShards: [Shard: Int64] = [:]
        var moment = Timestamp(epochSeconds: 0)
        var holders: [Shard: UUID] = [:]
        for row in rows {
            let (number, epoch, holder, readAt) = try row.decode(
                Int16.self,
                Int64.self,
                UUID?.self,
                PostgresTimestamp.self
            )
            let shard = Shard(rawValue: UInt8(truncatingIfNeeded: number))
            if let holder, holder == own { ownShards[shard] = epoch } else { shards[shard] = epoch }
            moment = clock.now?() ?? Timestamp(readAt)
            holders[shard] = holder
        }
        return (shards, ownShards, moment, holders)
    }

    /// Returns whether a present dispatcher holds the lease of a shard.
    public func isLeased(_ shard: Shard) async throws -> Bool {
        let rows = try await pool.query(PostgresQuery(LeaseStatements.held, shard.column))
        guard let row = rows.first else { throw StoreError.missingShard(shard) }
        return try row.decode(Bool.self)
    }

    /// Acquires the lease of a shard that was without one at an epoch.
    ///
    /// Does not wait for a locked row.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - epoch: the epoch at which the shard was without a lease.
    ///   - moment: a moment, on the database's clock, at which it was without one: no earlier holder sent a push after it.
    ///   - wasReleased: whether its last holder had released it at that epoch.
    ///   - holder: the dispatcher.
    /// - Returns: the lease; nil if another dispatcher acquired it, or another session has locked its row.
    /// - Throws: `PostgresError`.
    public func acquireLease(
        of shard: Shard,
        at epoch: Int64,
        unleasedAt moment: Timestamp = Timestamp(epochSeconds: 0),
        released wasReleased: Bool = false,
        holder: UUID
    ) async throws -> ShardLease? {
        let rows = try await pool.query(
            PostgresQuery(LeaseStatements.acquire, shard.column, holder, epoch, moment.epochSeconds + 2)
        )
        return try rows.first.map { row in
            let (epoch, checkpoint, firstTimestamp) = try row.decode(Int64.self, Int64.self, Int64.self)
            return ShardLease(
                shard: shard,
                epoch: epoch,
                checkpoint: checkpoint,
                firstTimestamp: firstTimestamp,
                wasReleased: wasReleased
            )
        }
    }

    /// Returns the checkpoint of a shard; nil if the holder does not have the lease.
    /// - Throws: `PostgresError`.
    public func checkpoint(of lease: ShardLease, holder: UUID) async throws -> Int64? {
        let query = PostgresQuery(LeaseStatements.readCheckpoint, lease.shard.column, lease.epoch, holder)
        return try await pool.query(query).first.map { try $0.decode(Int64.self) }
    }

    /// Releases a lease, so that another dispatcher need not wait for its holder's end.
    ///
    /// Fails if its row stays locked for longer than `lockTimeout`.
    /// - Returns: whether the lease was released; false if the holder does not have it.
    public func release(
        _ lease: ShardLease,
        holder: UUID,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Bool {
        let release = PostgresQuery(LeaseStatements.release, lease.shard.column, lease.epoch, holder)
        return try await pool.withTransaction { connection in
            try await connection.pipeline([LeaseStatements.setLockTimeout(lockTimeout), release], committing: true)[1]
        }.affectedRows == 1
    }

    /// Writes the delivery state of activities and the checkpoint of a shard, if the holder still has the lease.
    ///
    /// The state `dead` of an activity is written only if the token has not changed: a late response for an older token
    /// does not affect a newer one. An end is one of the activity, whatever its token.
    ///
    /// `pendingSince` is the moment of the oldest change that is pending for an activity of the shard, except for
    /// suspect tokens. `decisions` are the decision records that changed since the last flush; `requestedPushes` are the
    /// requested pushes with new results. If a row stays locked for longer than `lockTimeout`, the transaction fails and
    /// nothing is written.
    /// - Returns: whether the state was written; false if the lease is lost, or the log ends before the checkpoint.
    public func flush(
        _ lease: ShardLease,
        holder: UUID,
        checkpoint: Int64,
        pendingSince: Timestamp? = nil,
        activities: [ActivityCheckpoint],
        decisions: [ActivityDecisions] = [],
        requestedPushes: [RequestedPush] = [],
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Bool {
        var queries = [LeaseStatements.setLockTimeout(lockTimeout)]
        if !activities.isEmpty {
            queries.append(
                PostgresQuery(
                    LeaseStatements.flushActivities,
                    lease.shard.column,
                    activities.map(\.adventureID),
                    activities.map(\.activityID),
                    activities.map { Int32($0.generation) },
                    activities.map(\.lastTimestamp),
                    activities.map(\.acknowledgedAt.postgres),
                    activities.map(\.acceptedAlerts),
                    activities.map(\.state),
                    activities.map(\.budgetFullAt.postgres)
                )
            )
        }
        if !decisions.isEmpty { queries.append(DecisionStatements.write(decisions, of: lease.shard)) }
        if !requestedPushes.isEmpty { queries.append(RequestedPushStatements.write(requestedPushes, of: lease.shard)) }
        // The lease comes last, so that it is not locked while other statements wait for a row.
        queries.append(
            PostgresQuery(
                LeaseStatements.checkpoint,
                lease.shard.column,
                lease.epoch,
                holder,
                checkpoint,
                pendingSince?.postgres
            )
        )
        do {
            try await pool.withTransaction { [queries] connection in
                guard try await connection.pipeline(queries).last?.affectedRows == 1 else { throw LostLease() }
            }
            return true
        } catch is LostLease {
            return false
        }
    }
}

/// Rolls back the flush of a lost lease.
private struct LostLease: Error {}

enum LeaseStatements {
    /// The leases `l`, each with the row `d` of its holder, if there is one.
    ///
    /// The subquery is evaluated first: in a distributed database, its rows and the leases are on different machines.
    static let withHolders = """
        leases AS l LEFT JOIN (SELECT holder, expires_at, is_over FROM dispatchers OFFSET 0) AS d USING (holder)
        """

    /// Whether the holder of the lease `l` is present.
    static let isHeld = DispatcherStatements.isPresent

    /// The moment since which a change is pending for an activity of the lease `l` of ``withHolders``; null without one.
    ///
    /// Nothing is known of what is pending in a shard that no dispatcher serves: everything since the end of its last
    /// lease may be, or since the registration of an activity.
    static let pendingSince = """
        CASE
            WHEN \(isHeld) THEN l.pending_since
            ELSE least(
                l.pending_since,
                (
                    SELECT greatest(d.expires_at, l.released_at, a.registered_at)
                    FROM activities AS a
                    WHERE a.shard = l.shard AND a.state = 'live'
                    LIMIT 1
                )
            )
        END
        """

    /// Reads the shards whose holder is not registered, is over, or has expired longer ago than `$1`, and those of the
    /// holder `$2`, among the shards `$3`, over the 256 rows of the table.
    ///
    /// `now()` may be earlier than the release of a shard that this reads; `clock_timestamp()` is not.
    static let free = Statement(
        "lease.free",
        """
        SELECT shard, epoch, holder, clock_timestamp() FROM leases
        WHERE shard = ANY ($3) AND (
            holder IS NULL
            OR holder = $2
            OR holder NOT IN (
                SELECT holder FROM dispatchers
                WHERE expires_at >= now() - $1 * interval '1 microsecond' AND NOT is_over
            )
        )
        ORDER BY shard
        """
    )

    /// Limits of lock waits for the rest of the transaction, so that one locked row does not block a flush of many.
    ///
    /// Citus passes only SET LOCAL on to the machine with the rows, and only as it is written: a parameter would limit
    /// nothing there.
    static let lockTimeouts: [(limit: Duration, statement: Statement)] = [
        (.milliseconds(1), Statement("lease.setLockTimeout1ms", "SET LOCAL lock_timeout = '1ms'")),
        (.milliseconds(10), Statement("lease.setLockTimeout10ms", "SET LOCAL lock_timeout = '10ms'")),
        (.milliseconds(50), Statement("lease.setLockTimeout50ms", "SET LOCAL lock_timeout = '50ms'")),
        (.milliseconds(100), Statement("lease.setLockTimeout100ms", "SET LOCAL lock_timeout = '100ms'")),
        (.milliseconds(200), Statement("lease.setLockTimeout200ms", "SET LOCAL lock_timeout = '200ms'")),
        (.seconds(2), Statement("lease.setLockTimeout2s", "SET LOCAL lock_timeout = '2s'")),
        (.seconds(60), Statement("lease.setLockTimeout60s", "SET LOCAL lock_timeout = '60s'")),
    ]

    /// Returns the query that limits lock waits to the longest known limit up to a duration.
    static func setLockTimeout(_ lockTimeout: Duration) -> PostgresQuery {
        PostgresQuery((lockTimeouts.last { $0.limit <= lockTimeout } ?? lockTimeouts[0]).statement)
    }

    /// Reads whether a present dispatcher holds a shard, by primary key.
    static let held = Statement(
        "lease.held",
        """
        SELECT holder IS NOT NULL AND holder IN (SELECT holder FROM dispatchers WHERE \(DispatcherStatements.isPresent))
        FROM leases
        WHERE shard = $1
        """
    )

    /// Acquires a lease by primary key, skipping a row locked by another session: a lease locked from a console stops
    /// the pushes of its shard only.
    ///
    /// A shard that was without a lease at an epoch stays so until its epoch grows, since a holder that has expired never
    /// comes back. The clock of the shard tells what the last holder may have dated its pushes with if the database's clock
    /// was set back since.
    static let acquire = Statement(
        "lease.acquire",
        """
        UPDATE leases
        SET holder = $2, epoch = epoch + 1, released_at = NULL,
            first_timestamp = greatest(
                first_timestamp + 1,
                $4,
                (
                    SELECT floor(extract(epoch FROM s.clock - timestamptz '1970-01-01 00:00:00+00'))::bigint + 2
                    FROM shards AS s WHERE s.shard = $1
                )
            )
        WHERE shard = $1 AND epoch = $3
            AND shard IN (SELECT shard FROM leases WHERE shard = $1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING epoch, checkpoint, first_timestamp
        """
    )

    static let release = Statement(
        "lease.release",
        "UPDATE leases SET holder = NULL, released_at = now() WHERE shard = $1 AND epoch = $2 AND holder = $3"
    )

    /// Notes by primary key what the database has lost of a shard, and keeps the largest loss of a day; not while another
    /// session has locked the row.
    static let noteLoss = Statement(
        "lease.noteLoss",
        """
        UPDATE leases
        SET lost_entries = greatest($2, lost_entries * (lost_at > now() - interval '1 day')::integer),
            lost_time = greatest($3, lost_time * (lost_at > now() - interval '1 day')::integer),
            lost_at = now()
        WHERE shard = $1 AND shard IN (SELECT shard FROM leases WHERE shard = $1 FOR NO KEY UPDATE SKIP LOCKED)
        """
    )

    /// Reads the checkpoint by primary key, if holder and epoch match.
    static let readCheckpoint = Statement(
        "lease.readCheckpoint",
        "SELECT checkpoint FROM leases WHERE shard = $1 AND epoch = $2 AND holder = $3"
    )

    /// Moves the checkpoint forward, if holder and epoch match; not beyond the log, from which it may only come back.
    static let checkpoint = Statement(
        "lease.checkpoint",
        """
        UPDATE leases SET checkpoint = $4, pending_since = $5
        WHERE shard = $1 AND epoch = $2 AND holder = $3
            AND $4 >= least(checkpoint, (SELECT s.head FROM shards AS s WHERE s.shard = $1))
            AND $4 <= (SELECT s.head FROM shards AS s WHERE s.shard = $1)
        """
    )

    /// Updates activities, locking their rows in the order of the primary key, whatever the order of the parameters and
    /// the plan.
    ///
    /// A transaction that releases several activities does the same, so the two cannot deadlock.
    ///
    /// `BETWEEN` is an equality test. It keeps PostgreSQL from using the index on activities of all shards, which it
    /// estimates to be as good as the primary key, where the rows of a shard are adjacent. For 480 rows among 400,000
    /// activities the plan read 440 pages of that index, and reads 20 pages of the primary key.
    static let flushActivities = Statement(
        "lease.flushActivities",
        """
        WITH checkpoints AS (
            SELECT u.adventure_id, u.activity_id, u.generation, u.last_timestamp, u.acknowledged_at, u.accepted_alerts,
                u.state, u.budget_full_at
            FROM unnest(
                $2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::timestamptz[], $7::bytea[], $8::text[],
                $9::timestamptz[]
            )
                AS u (
                    adventure_id, activity_id, generation, last_timestamp, acknowledged_at, accepted_alerts, state,
                    budget_full_at
                )
            JOIN activities AS a
                ON a.adventure_id = u.adventure_id AND a.activity_id BETWEEN u.activity_id AND u.activity_id
            WHERE a.shard = $1
            ORDER BY a.adventure_id, a.activity_id
            FOR NO KEY UPDATE OF a
        )
        UPDATE activities AS a
        SET last_timestamp = greatest(a.last_timestamp, u.last_timestamp),
            acknowledged_at = greatest(a.acknowledged_at, u.acknowledged_at),
            accepted_alerts = u.accepted_alerts,
            budget_full_at = u.budget_full_at,
            state = CASE
                WHEN a.state = 'live' AND (a.generation = u.generation OR u.state = 'ended') THEN u.state
                ELSE a.state
            END
        FROM checkpoints AS u
        WHERE a.shard = $1
            AND a.adventure_id = u.adventure_id AND a.activity_id BETWEEN u.activity_id AND u.activity_id
        """
    )
}
