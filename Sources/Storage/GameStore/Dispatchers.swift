public import Encodings
public import Foundation
public import GameCore
import PostgresClient

/// The rank of a dispatcher among the present dispatchers.
public struct DispatcherRank: Sendable, Hashable {
    /// The index of this dispatcher, from zero, in an order that is the same for all dispatchers.
    public let index: Int
    /// The number of present dispatchers, at least one.
    public let count: Int

    /// Creates a rank.
    public init(index: Int, count: Int) {
        precondition(count > 0 && (0..<count).contains(index), "index \(index) is not among \(count) dispatchers")
        self.index = index
        self.count = count
    }

    /// Returns this dispatcher's share of the shards.
    ///
    /// The shares add up to all shards and differ by at most one.
    public func share(of shards: Int) -> Int {
        shards / count + (index < shards % count ? 1 : 0)
    }
}

/// A dispatcher that has registered itself.
public struct RegisteredDispatcher: Sendable, Hashable {
    /// The dispatcher, as in its leases.
    public let holder: UUID
    /// Whether it knows everything in all shards.
    public let knowsAll: Bool
}

/// The present dispatchers, and the shards that none of them holds.
public struct LeaseSurvey: Sendable {
    /// The present dispatchers in the order of their holders.
    public let dispatchers: [RegisteredDispatcher]
    /// The shards without a lease, with their epochs.
    public let unleased: [Shard: Int64]
    /// The database's clock when it was read which dispatchers had expired.
    public let moment: Timestamp

    /// Returns a dispatcher's share of the shards.
    ///
    /// Dispatchers that do not know everything in some shard make way for those that do; without these, they share all
    /// shards.
    /// - Returns: the number of shards; nil if the dispatcher is not present.
    public func share(of holder: UUID, amongShards count: Int) -> Int? {
        guard dispatchers.contains(where: { $0.holder == holder }) else { return nil }
        let complete = dispatchers.filter(\.knowsAll)
        let sharing = complete.isEmpty ? dispatchers : complete
        guard let index = sharing.firstIndex(where: { $0.holder == holder }) else { return 0 }
        return DispatcherRank(index: index, count: sharing.count).share(of: count)
    }
}

// A dispatcher is present until its row expires, and never again under the same holder. Another dispatcher may remove an
// expired row, and acquire its shards.

extension GameStore {
    /// The fraction of its duration for which a renewal waits for the locked row of a dispatcher.
    private static let lockTimeoutDivisor = 5

    /// Registers a dispatcher.
    ///
    /// This is not durable either, until the dispatcher acquires a lease.
    /// - Parameters:
    ///   - holder: the dispatcher, as in its leases; never registered before.
    ///   - knowsAll: whether it knows everything in all shards.
    ///   - environments: the APNs environments that it sends to.
    ///   - duration: how long the dispatcher counts as present without renewal, on the database's clock.
    /// - Returns: the database's clock at some time during this call.
    /// - Throws: `PostgresError`.
    @discardableResult
    public func register(
        dispatcher holder: UUID,
        knowsAll: Bool,
        sendingTo environments: Set<PushEnvironment>,
        for duration: Duration
    ) async throws -> Timestamp {
        let names = environments.map(\.rawValue).sorted()
        return try await change(
            PostgresQuery(DispatcherStatements.register, holder, duration.wholeMicroseconds, knowsAll, names)
        ).now
    }

    /// Renews a dispatcher's presence.
    ///
    /// The renewal is not durable, so that a slow disk costs no leases. After a crash of the server the row may expire
    /// earlier, by 0.6 s at most with the default `wal_writer_delay`.
    /// - Parameters:
    ///   - holder: the dispatcher.
    ///   - duration: how long it counts as present from now on, on the database's clock.
    /// - Returns: the database's clock at some time during this call; nil if the presence had expired, for good.
    /// - Throws: `PostgresError`, also if the row stays locked for a fifth of `duration`.
    public func renew(dispatcher holder: UUID, for duration: Duration) async throws -> Timestamp? {
        let query = PostgresQuery(DispatcherStatements.renew, holder, duration.wholeMicroseconds)
        let change = try await change(query, lockTimeout: duration / Self.lockTimeoutDivisor)
        return change.affectedRows == 1 ? change.now : nil
    }

    /// Ends a dispatcher's presence, so that the others need not wait for its expiry.
    /// - Throws: `PostgresError`, also if the row stays locked for a tenth of a second.
    public func end(dispatcher holder: UUID) async throws {
        try await change(PostgresQuery(DispatcherStatements.end, holder))
    }

    /// Notes whether a dispatcher knows everything in all shards.
    /// - Throws: `PostgresError`, also if the row stays locked for a tenth of a second.
    public func note(dispatcher holder: UUID, knowsAll: Bool) async throws {
        try await change(PostgresQuery(DispatcherStatements.note, holder, knowsAll))
    }

    /// Changes a dispatcher's row without waiting for the disk.
    /// - Returns: the number of changed rows, and the clock at some time during this call.
    @discardableResult
    private func change(
        _ query: PostgresQuery,
        lockTimeout: Duration = .milliseconds(100)
    ) async throws -> (affectedRows: Int, now: Timestamp) {
        let results = try await pool.withTransaction { connection in
            let settings = [
                LeaseStatements.setLockTimeout(lockTimeout), PostgresQuery(DispatcherStatements.setNotDurable),
            ]
            return try await connection.pipeline(settings + [query], committing: true)
        }
        let (_, now) = try results[1][0].decode(String.self, PostgresTimestamp.self)
        return (results[2].affectedRows, clock.now?() ?? Timestamp(now))
    }

    /// Returns the present dispatchers and the shards without a lease, after removing the dispatchers that have expired.
    ///
    /// One round trip, unless a dispatcher has expired. It is removed by a statement that sees a renewal under way as a
    /// lock and skips it, so afterwards none can succeed. A row that another session keeps locked cannot be removed. It
    /// counts as absent once it has expired longer ago than `grace`: if that is the duration of a presence, a renewal
    /// under way cannot make the dispatcher present any more, since it counts the duration from its own beginning, which
    /// was not later than the expiry.
    /// - Throws: `PostgresError`.
    public func leaseSurvey(grace: Duration) async throws -> LeaseSurvey {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                PostgresQuery(DispatcherStatements.list),
                PostgresQuery(LeaseStatements.free, grace.wholeMicroseconds),
            ])
        }
        var present: [RegisteredDispatcher] = []
        var moment = Timestamp(epochSeconds: 0)
        var hasRemoved = false
        for row in results[0] {
            let (holder, isPresent, knowsAll, readAt) = try row.decode(
                UUID.self,
                Bool.self,
                Bool.self,
                PostgresTimestamp.self
            )
            moment = clock.now?() ?? Timestamp(readAt)
            if isPresent {
                present.append(RegisteredDispatcher(holder: holder, knowsAll: knowsAll))
            } else if try await pool.query(PostgresQuery(DispatcherStatements.remove, holder)).affectedRows == 1 {
                hasRemoved = true
            }
        }
        return LeaseSurvey(
            dispatchers: present,
            unleased: hasRemoved ? try await unleasedShards(grace: grace) : try Self.epochs(results[1]),
            moment: moment
        )
    }

    /// Returns the number of present dispatchers, with or without leases.
    public func dispatcherCount() async throws -> Int {
        Int(try await pool.query(PostgresQuery(DispatcherStatements.count))[0].decode(Int64.self))
    }

    /// Returns whether a present dispatcher sends to an APNs environment.
    public func dispatcherSends(to environment: PushEnvironment) async throws -> Bool {
        try await pool.query(PostgresQuery(DispatcherStatements.sends, environment.rawValue))[0].decode(Bool.self)
    }
}

// Except for those that read the list, each statement affects one dispatcher by primary key.

enum DispatcherStatements {
    static let register = Statement(
        "dispatcher.register",
        """
        INSERT INTO dispatchers (holder, expires_at, knows_all, environments)
        VALUES ($1, now() + $2 * interval '1 microsecond', $3, $4)
        """
    )

    /// Extends a dispatcher's presence, never shortens it: a late renewal must not undo a newer one.
    static let renew = Statement(
        "dispatcher.renew",
        """
        UPDATE dispatchers SET expires_at = greatest(expires_at, now() + $2 * interval '1 microsecond')
        WHERE holder = $1 AND expires_at >= now()
        """
    )

    /// Lets the commit of the transaction not wait for the disk, and reads the clock.
    static let setNotDurable = Statement(
        "dispatcher.setNotDurable",
        "SELECT set_config('synchronous_commit', 'off', true), now()"
    )

    static let end = Statement(
        "dispatcher.end",
        "UPDATE dispatchers SET expires_at = least(expires_at, now()) WHERE holder = $1"
    )

    static let note = Statement(
        "dispatcher.note",
        "UPDATE dispatchers SET knows_all = $2 WHERE holder = $1"
    )

    /// Reads all rows: the table has one for each dispatcher.
    static let list = Statement(
        "dispatcher.list",
        "SELECT holder, expires_at >= now(), knows_all, now() FROM dispatchers ORDER BY holder"
    )

    static let count = Statement(
        "dispatcher.count",
        "SELECT count(*) FROM dispatchers WHERE expires_at >= now()"
    )

    /// Searches all rows: the table has one for each dispatcher.
    static let sends = Statement(
        "dispatcher.sends",
        "SELECT EXISTS (SELECT 1 FROM dispatchers WHERE expires_at >= now() AND $1 = ANY (environments))"
    )

    /// Removes a dispatcher that has expired, unless its row is locked.
    static let remove = Statement(
        "dispatcher.remove",
        """
        DELETE FROM dispatchers
        WHERE holder = $1 AND expires_at < now()
            AND holder IN (SELECT holder FROM dispatchers WHERE holder = $1 FOR UPDATE SKIP LOCKED)
        """
    )
}
