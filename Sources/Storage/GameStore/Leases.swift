import Encodings
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
    /// - Returns: nil when another node was faster, or somebody has the lease's row locked.
    public func takeLease(of shard: Shard, holder: UUID, for duration: Duration) async throws -> Lease? {
        let rows = try await pool.query(
            PostgresQuery(LeaseStatements.take, shard.column, holder, duration.wholeMicroseconds)
        )
        return try rows.first.map { row in
            let (epoch, checkpoint) = try row.decode(Int64.self, Int64.self)
            return Lease(shard: shard, epoch: epoch, checkpoint: checkpoint)
        }
    }

    /// Renews a lease, unless somebody else has its row locked: whoever holds that up, the leases of other shards do not
    /// wait for it.
    /// - Returns: whether it is renewed; ``held(_:by:)`` tells a lease that is locked from one that is lost.
    public func renew(_ lease: Lease, holder: UUID, for duration: Duration) async throws -> Bool {
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

    /// Which of some leases are still a holder's, whether somebody has their rows locked or not.
    public func held(_ leases: [Lease], by holder: UUID) async throws -> Set<Shard> {
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

    /// Gives a lease back, so that another node need not wait for it to expire; unless somebody else has its row locked,
    /// who is not waited for.
    /// - Returns: whether it is given back.
    public func giveBack(_ lease: Lease, holder: UUID) async throws -> Bool {
        let query = PostgresQuery(LeaseStatements.giveBack, lease.shard.column, lease.epoch, holder)
        return try await pool.query(query).affectedRows == 1
    }

    /// Writes what was sent for a shard and how far its log is settled, if the lease is still the holder's.
    ///
    /// What became of an activity counts only for the token that it was found with: a late answer for an older token
    /// does not harm a newer one.
    ///
    /// `decisions` are of the activities for which something was decided since the last time, `askedPushes` of those that
    /// were pushed to since an operator asked for it; both go with the rest.
    /// The lease is renewed on the way, `duration` from when the transaction begins: a shard that is busy costs no renewals.
    /// A row that somebody else has locked is waited for as long as `lockTimeout` only, and nothing is written then.
    /// - Returns: false when the lease is lost; nothing was written then.
    public func settle(
        _ lease: Lease,
        holder: UUID,
        for duration: Duration = .zero,
        checkpoint: Int64,
        marks: [ActivityMark],
        decisions: [ActivityDecisions] = [],
        askedPushes: [AskedPush] = [],
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> Bool {
        var queries = [LeaseStatements.patience(lockTimeout)]
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
        queries.append(
            PostgresQuery(
                LeaseStatements.checkpoint,
                lease.shard.column,
                lease.epoch,
                holder,
                checkpoint,
                duration.wholeMicroseconds
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

/// Undoes what is written without a lease.
private struct LostLease: Error {}

enum LeaseStatements {
    static let free = Statement(
        "lease.free",
        "SELECT shard FROM leases WHERE holder IS NULL OR expires_at < now() ORDER BY shard"
    )

    /// For the rest of the transaction: whoever writes for many phones does not wait for one row.
    static let patience = Statement("lease.patience", "SELECT set_config('lock_timeout', $1, true)")

    static func patience(_ lockTimeout: Duration) -> PostgresQuery {
        PostgresQuery(patience, "\(lockTimeout.wholeMicroseconds / 1_000)ms")
    }

    static let held = Statement(
        "lease.held",
        "SELECT holder IS NOT NULL AND expires_at >= now() FROM leases WHERE shard = $1"
    )

    // Each of these is of one shard, and passes over a row that somebody has locked: one that stays so, at a console, costs
    // its shard the pushes, and no other shard.

    static let take = Statement(
        "lease.take",
        """
        UPDATE leases
        SET holder = $2, epoch = epoch + 1, expires_at = now() + $3 * interval '1 microsecond'
        WHERE shard = $1 AND (holder IS NULL OR expires_at < now()) AND \(isNotLocked)
        RETURNING epoch, checkpoint
        """
    )

    /// Never to an earlier end: a renewal that comes late must not undo another one's.
    static let renew = Statement(
        "lease.renew",
        """
        UPDATE leases
        SET expires_at = greatest(expires_at, now() + $4 * interval '1 microsecond')
        WHERE shard = $1 AND epoch = $2 AND holder = $3 AND \(isNotLocked)
        """
    )

    static let giveBack = Statement(
        "lease.giveBack",
        """
        UPDATE leases SET holder = NULL
        WHERE shard = $1 AND epoch = $2 AND holder = $3 AND \(isNotLocked)
        """
    )

    private static let isNotLocked = """
        shard IN (SELECT shard FROM leases WHERE shard = $1 FOR NO KEY UPDATE SKIP LOCKED)
        """

    static let ofHolder = Statement(
        "lease.ofHolder",
        "SELECT shard, epoch FROM leases WHERE shard = ANY ($1) AND holder = $2 ORDER BY shard"
    )

    static let checkpoint = Statement(
        "lease.checkpoint",
        """
        UPDATE leases
        SET checkpoint = $4, expires_at = greatest(expires_at, now() + $5 * interval '1 microsecond')
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
