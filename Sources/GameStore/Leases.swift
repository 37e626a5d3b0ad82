public import Foundation
public import GameCore
import PostgresClient

/// A dispatcher's right to send for a shard, until it expires on the database's clock.
public struct Lease: Sendable {
    /// Which shard's phones may be pushed to.
    public let shard: Shard
    /// Raised by every taking over: fences what an earlier holder still writes.
    public let epoch: Int64
    /// Nothing at or below this position of the log was owed when the checkpoint was written.
    public let checkpoint: Int64
}

/// What was sent to one activity since its row was last written.
public struct ActivityMark: Sendable {
    /// Which adventure's activity.
    public let adventureID: AdventureID
    /// Which activity.
    public let activityID: ActivityID
    /// Its token's generation when the push went out.
    public let generation: Int
    /// `timestamp` of the newest push, in seconds since 1970.
    public let lastTimestamp: Int64
    /// Nothing at or below this position of the log is still owed to it.
    public let settledPosition: Int64
    /// What has become of it: `ended` or `dead`, or still `live`.
    public let state: Activity.State

    /// What was sent to one activity.
    public init(
        adventureID: AdventureID,
        activityID: ActivityID,
        generation: Int,
        lastTimestamp: Int64,
        settledPosition: Int64,
        state: Activity.State
    ) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.generation = generation
        self.lastTimestamp = lastTimestamp
        self.settledPosition = settledPosition
        self.state = state
    }
}

extension GameStore {
    /// The shards that no dispatcher holds at the moment, in order.
    public func freeShards() async throws -> [Shard] {
        try await pool.query(PostgresQuery(LeaseStatements.free)).map {
            Shard(rawValue: UInt8(truncatingIfNeeded: try $0.decode(Int16.self)))
        }
    }

    /// Whether a dispatcher holds a shard at the moment.
    public func hasDispatcher(_ shard: Shard) async throws -> Bool {
        let rows = try await pool.query(PostgresQuery(LeaseStatements.held, shard.column))
        guard let row = rows.first else { throw StoreError.missingShard(shard) }
        return try row.decode(Bool.self)
    }

    /// Takes a shard that no one holds.
    /// - Returns: nil when another node was faster.
    public func takeLease(of shard: Shard, holder: UUID, for duration: Duration) async throws -> Lease? {
        let rows = try await pool.query(
            PostgresQuery(LeaseStatements.take, shard.column, holder, duration.wholeMicroseconds)
        )
        return try rows.first.map { row in
            let (epoch, checkpoint) = try row.decode(Int64.self, Int64.self)
            return Lease(shard: shard, epoch: epoch, checkpoint: checkpoint)
        }
    }

    /// Renews leases, all in one statement, in the order of their shards like ``giveBack(_:holder:)``: so one of them
    /// waits for the other.
    /// - Returns: the shards that are still the holder's; the others are lost.
    public func renew(_ leases: [Lease], holder: UUID, for duration: Duration) async throws -> Set<Shard> {
        let leases = leases.sorted { $0.shard < $1.shard }
        let rows = try await pool.query(
            PostgresQuery(
                LeaseStatements.renew,
                leases.map(\.shard.column),
                leases.map(\.epoch),
                holder,
                duration.wholeMicroseconds
            )
        )
        return Set(try rows.map { Shard(rawValue: UInt8(truncatingIfNeeded: try $0.decode(Int16.self))) })
    }

    /// Gives leases back, so that another node need not wait for them to expire.
    public func giveBack(_ leases: [Lease], holder: UUID) async throws {
        let leases = leases.sorted { $0.shard < $1.shard }
        _ = try await pool.query(
            PostgresQuery(LeaseStatements.giveBack, leases.map(\.shard.column), leases.map(\.epoch), holder)
        )
    }

    /// Writes what was sent for a shard and how far its log is settled, if the lease is still the holder's.
    ///
    /// What became of an activity counts only for the token that it was found with: a late answer for an older token
    /// does not harm a newer one.
    ///
    /// `decisions` are of the activities for which something was decided since the last time, `askedPushes` of those that
    /// were pushed to since an operator asked for it; both go with the rest.
    /// A row that somebody else has locked is waited for as long as `lockTimeout` only, and nothing is written then.
    /// - Returns: false when the lease is lost; nothing was written then.
    public func settle(
        _ lease: Lease,
        holder: UUID,
        checkpoint: Int64,
        marks: [ActivityMark],
        decisions: [ActivityDecisions] = [],
        askedPushes: [AskedPush] = [],
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Bool {
        var queries = [PostgresQuery(LeaseStatements.patience, "\(lockTimeout.wholeMicroseconds / 1_000)ms")]
        if !marks.isEmpty {
            queries.append(
                PostgresQuery(
                    LeaseStatements.mark,
                    lease.shard.column,
                    marks.map(\.adventureID),
                    marks.map(\.activityID),
                    marks.map { Int32($0.generation) },
                    marks.map(\.lastTimestamp),
                    marks.map(\.settledPosition),
                    marks.map(\.state)
                )
            )
        }
        if !decisions.isEmpty { queries.append(DecisionStatements.write(decisions, of: lease.shard)) }
        if !askedPushes.isEmpty { queries.append(AskedPushStatements.write(askedPushes, of: lease.shard)) }
        // The lease comes last: were it held while the others wait for a row, its renewal would wait, too.
        queries.append(PostgresQuery(LeaseStatements.checkpoint, lease.shard.column, lease.epoch, holder, checkpoint))
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

/// Undoes what is written without a lease.
private struct LostLease: Error {}

enum LeaseStatements {
    static let free = Statement(
        "lease.free",
        "SELECT shard FROM leases WHERE holder IS NULL OR expires_at < now() ORDER BY shard"
    )

    /// For the rest of the transaction: whoever writes for many phones does not wait for one row.
    static let patience = Statement("lease.patience", "SELECT set_config('lock_timeout', $1, true)")

    static let held = Statement(
        "lease.held",
        "SELECT holder IS NOT NULL AND expires_at >= now() FROM leases WHERE shard = $1"
    )

    static let take = Statement(
        "lease.take",
        """
        UPDATE leases
        SET holder = $2, epoch = epoch + 1, expires_at = now() + $3 * interval '1 microsecond'
        WHERE shard = $1 AND (holder IS NULL OR expires_at < now())
        RETURNING epoch, checkpoint
        """
    )

    static let renew = Statement(
        "lease.renew",
        """
        UPDATE leases AS l
        SET expires_at = now() + $4 * interval '1 microsecond'
        FROM unnest($1::smallint[], $2::bigint[]) AS u (shard, epoch)
        WHERE l.shard = u.shard AND l.shard = ANY ($1) AND l.epoch = u.epoch AND l.holder = $3
        RETURNING l.shard
        """
    )

    static let giveBack = Statement(
        "lease.giveBack",
        """
        UPDATE leases AS l
        SET holder = NULL
        FROM unnest($1::smallint[], $2::bigint[]) AS u (shard, epoch)
        WHERE l.shard = u.shard AND l.shard = ANY ($1) AND l.epoch = u.epoch AND l.holder = $3
        """
    )

    static let checkpoint = Statement(
        "lease.checkpoint",
        """
        UPDATE leases SET checkpoint = $4
        WHERE shard = $1 AND epoch = $2 AND holder = $3 AND checkpoint <= $4
        """
    )

    /// Locks the rows in the order of their primary key, whatever the order of the marks and the plan: so does who lets
    /// go of several activities, and neither then holds a row that the other waits for while it waits for another.
    ///
    /// `BETWEEN` asks for nothing but equality. It keeps PostgreSQL from the index on activities of all shards: to it that
    /// is as good as the primary key, where the rows of a shard lie together. For 480 marks among 400,000 activities it
    /// read 440 pages of that index, and reads 20 of the key's.
    static let mark = Statement(
        "lease.mark",
        """
        WITH marks AS (
            SELECT u.adventure_id, u.activity_id, u.generation, u.last_timestamp, u.settled_position, u.state
            FROM unnest($2::uuid[], $3::uuid[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[])
                AS u (adventure_id, activity_id, generation, last_timestamp, settled_position, state)
            JOIN activities AS a
                ON a.adventure_id = u.adventure_id AND a.activity_id BETWEEN u.activity_id AND u.activity_id
            WHERE a.shard = $1
            ORDER BY a.adventure_id, a.activity_id
            FOR NO KEY UPDATE OF a
        )
        UPDATE activities AS a
        SET last_timestamp = greatest(a.last_timestamp, u.last_timestamp),
            settled_position = greatest(a.settled_position, u.settled_position),
            state = CASE WHEN a.state = 'live' AND a.generation = u.generation THEN u.state ELSE a.state END
        FROM marks AS u
        WHERE a.shard = $1
            AND a.adventure_id = u.adventure_id AND a.activity_id BETWEEN u.activity_id AND u.activity_id
        """
    )
}
