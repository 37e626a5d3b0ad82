public import Encodings
public import Foundation
public import GameCore
public import GameLog
import PostgresClient

extension GameStore {
    /// Returns the shards without a valid lease, in order.
    public func unleasedShards() async throws -> [Shard] {
        try await pool.query(PostgresQuery(LeaseStatements.free)).map {
            Shard(rawValue: UInt8(truncatingIfNeeded: try $0.decode(Int16.self)))
        }
    }

    /// Returns whether a shard has a valid lease.
    public func isLeased(_ shard: Shard) async throws -> Bool {
        let rows = try await pool.query(PostgresQuery(LeaseStatements.held, shard.column))
        guard let row = rows.first else { throw StoreError.missingShard(shard) }
        return try row.decode(Bool.self)
    }

    /// Acquires the lease of a shard that has no valid lease.
    /// - Returns: the lease; nil if another dispatcher acquired it, or another session has locked its row.
    public func acquireLease(of shard: Shard, holder: UUID, for duration: Duration) async throws -> ShardLease? {
        let rows = try await pool.query(
            PostgresQuery(LeaseStatements.acquire, shard.column, holder, duration.wholeMicroseconds)
        )
        return try rows.first.map { row in
            let (epoch, checkpoint) = try row.decode(Int64.self, Int64.self)
            return ShardLease(shard: shard, epoch: epoch, checkpoint: checkpoint)
        }
    }

    /// Renews a lease, without waiting for a locked row, so that one blocked lease does not delay the others.
    /// - Returns: whether the lease was renewed. ``held(_:by:)`` distinguishes a locked lease from a lost one.
    public func renew(_ lease: ShardLease, holder: UUID, for duration: Duration) async throws -> Bool {
        let rows = try await pool.query(
            PostgresQuery(
                LeaseStatements.renew,
                lease.shard.column,
                lease.epoch,
                holder,
                duration.wholeMicroseconds
            )
        )
        return rows.affectedRows == 1
    }

    /// Returns the shards whose leases a holder still has, whether their rows are locked or not.
    public func held(_ leases: [ShardLease], by holder: UUID) async throws -> Set<Shard> {
        let epochs = Dictionary(leases.map { ($0.shard, $0.epoch) }, uniquingKeysWith: max)
        let rows = try await pool.query(PostgresQuery(LeaseStatements.ofHolder, leases.map(\.shard.column), holder))
        var held: Set<Shard> = []
        for row in rows {
            let (number, epoch) = try row.decode(Int16.self, Int64.self)
            let shard = Shard(rawValue: UInt8(truncatingIfNeeded: number))
            if epochs[shard] == epoch { held.insert(shard) }
        }
        return held
    }

    /// Releases a lease, so that another dispatcher need not wait for its expiry.
    ///
    /// Does not wait for a locked row.
    /// - Returns: whether the lease was released.
    public func release(_ lease: ShardLease, holder: UUID) async throws -> Bool {
        let query = PostgresQuery(LeaseStatements.release, lease.shard.column, lease.epoch, holder)
        return try await pool.query(query).affectedRows == 1
    }

    /// Writes the delivery state of activities and the checkpoint of a shard, if the holder still has the lease.
    ///
    /// The ``ActivityCheckpoint/state`` of an activity is written only if the token has not changed: a late response
    /// for an older token does not affect a newer one.
    ///
    /// `pendingSince` is the moment of the oldest change that is pending for an activity of the shard. `decisions` are
    /// the decision records that changed since the last flush; `requestedPushes` are the requested pushes with new
    /// results. The statement that writes the checkpoint also renews the lease for `duration` from the start of the
    /// transaction, so that a busy shard needs no separate renewals. If a row stays locked for longer than
    /// `lockTimeout`, the transaction fails and nothing is written.
    /// - Returns: whether the state was written; false if the lease is lost.
    public func flush(
        _ lease: ShardLease,
        holder: UUID,
        for duration: Duration = .zero,
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
                    activities.map(\.state)
                )
            )
        }
        if !decisions.isEmpty { queries.append(DecisionStatements.write(decisions, of: lease.shard)) }
        if !requestedPushes.isEmpty { queries.append(RequestedPushStatements.write(requestedPushes, of: lease.shard)) }
        // The lease comes last: if it were locked while other statements wait for a row, its renewal would wait, too.
        queries.append(
            PostgresQuery(
                LeaseStatements.checkpoint,
                lease.shard.column,
                lease.epoch,
                holder,
                checkpoint,
                duration.wholeMicroseconds,
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
    /// The moment since which a change is pending for an activity of the lease `l`; null without one.
    ///
    /// Nothing is known of what is pending in a shard that no dispatcher serves: everything since the end of its last
    /// lease may be, or since the registration of an activity.
    static let pendingSince = """
        CASE
            WHEN l.holder IS NOT NULL AND l.expires_at >= now() THEN l.pending_since
            ELSE least(
                l.pending_since,
                (
                    SELECT greatest(l.expires_at, a.registered_at)
                    FROM activities AS a
                    WHERE a.shard = l.shard AND a.state = 'live'
                    LIMIT 1
                )
            )
        END
        """

    /// Reads the shards without a valid lease, over the 256 rows of the table.
    static let free = Statement(
        "lease.free",
        "SELECT shard FROM leases WHERE holder IS NULL OR expires_at < now() ORDER BY shard"
    )

    /// Limits lock waits for the rest of the transaction, so that one locked row does not block a flush of many.
    static let setLockTimeout = Statement("lease.setLockTimeout", "SELECT set_config('lock_timeout', $1, true)")

    static func setLockTimeout(_ lockTimeout: Duration) -> PostgresQuery {
        PostgresQuery(setLockTimeout, "\(lockTimeout.wholeMicroseconds / 1_000)ms")
    }

    /// Reads whether a shard has a valid lease, by primary key.
    static let held = Statement(
        "lease.held",
        "SELECT holder IS NOT NULL AND expires_at >= now() FROM leases WHERE shard = $1"
    )

    // Each of these statements affects one shard by primary key and skips a row locked by another session: a lease
    // locked from a console stops the pushes of its shard only.

    static let acquire = Statement(
        "lease.acquire",
        """
        UPDATE leases
        SET holder = $2, epoch = epoch + 1, expires_at = now() + $3 * interval '1 microsecond'
        WHERE shard = $1 AND (holder IS NULL OR expires_at < now()) AND \(isNotLocked)
        RETURNING epoch, checkpoint
        """
    )

    /// Extends a lease, never shortens it: a late renewal must not undo a newer one.
    static let renew = Statement(
        "lease.renew",
        """
        UPDATE leases
        SET expires_at = greatest(expires_at, now() + $4 * interval '1 microsecond')
        WHERE shard = $1 AND epoch = $2 AND holder = $3 AND \(isNotLocked)
        """
    )

    static let release = Statement(
        "lease.release",
        """
        UPDATE leases SET holder = NULL
        WHERE shard = $1 AND epoch = $2 AND holder = $3 AND \(isNotLocked)
        """
    )

    private static let isNotLocked = """
        shard IN (SELECT shard FROM leases WHERE shard = $1 FOR NO KEY UPDATE SKIP LOCKED)
        """

    /// Reads the epochs of a holder's leases among some shards, by primary key.
    static let ofHolder = Statement(
        "lease.ofHolder",
        "SELECT shard, epoch FROM leases WHERE shard = ANY ($1) AND holder = $2 ORDER BY shard"
    )

    /// Moves the checkpoint forward and extends the lease, if holder and epoch match.
    static let checkpoint = Statement(
        "lease.checkpoint",
        """
        UPDATE leases
        SET checkpoint = $4, pending_since = $6, expires_at = greatest(expires_at, now() + $5 * interval '1 microsecond')
        WHERE shard = $1 AND epoch = $2 AND holder = $3 AND checkpoint <= $4
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
            SELECT u.adventure_id, u.activity_id, u.generation, u.last_timestamp, u.acknowledged_at, u.state
            FROM unnest($2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::timestamptz[], $7::text[])
                AS u (adventure_id, activity_id, generation, last_timestamp, acknowledged_at, state)
            JOIN activities AS a
                ON a.adventure_id = u.adventure_id AND a.activity_id BETWEEN u.activity_id AND u.activity_id
            WHERE a.shard = $1
            ORDER BY a.adventure_id, a.activity_id
            FOR NO KEY UPDATE OF a
        )
        UPDATE activities AS a
        SET last_timestamp = greatest(a.last_timestamp, u.last_timestamp),
            acknowledged_at = greatest(a.acknowledged_at, u.acknowledged_at),
            state = CASE WHEN a.state = 'live' AND a.generation = u.generation THEN u.state ELSE a.state END
        FROM checkpoints AS u
        WHERE a.shard = $1
            AND a.adventure_id = u.adventure_id AND a.activity_id BETWEEN u.activity_id AND u.activity_id
        """
    )
}
