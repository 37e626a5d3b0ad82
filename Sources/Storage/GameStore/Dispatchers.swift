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
    /// The time until it expires if it does not renew its presence.
    public let expiry: Duration
}

/// The present dispatchers, and the shards that none of them holds.
public struct LeaseSurvey: Sendable {
    /// The present dispatchers in the order of their holders.
    public let dispatchers: [RegisteredDispatcher]
    /// The shards without a lease, with their epochs.
    public let unleased: [Shard: Int64]
    /// The last holders of those of them that were not released one by one.
    fileprivate let lastHolders: [Shard: UUID]
    /// Those of them that the last holder released, or that never had one.
    public let released: Set<Shard>
    /// The shards that the dispatcher holds which asked, with their epochs; meaningless if it is not present.
    public let held: [Shard: Int64]
    /// The shards of machines that do not respond, of which the survey says nothing.
    public let unread: Set<Shard>
    /// A moment, on the database's clock, at which these shards were without a lease.
    public let moment: Timestamp

    /// Returns whether no other dispatcher has acquired a shard since a dispatcher acquired it, whose lease is over.
    ///
    /// The epoch alone does not tell: after a failover that lost the acquisition, another one may have acquired the shard at
    /// the same epoch.
    public func isLastHolder(_ holder: UUID, of shard: Shard, at epoch: Int64) -> Bool {
        unleased[shard] == epoch && lastHolders[shard] == holder
    }

    /// Returns the time until the first of the other dispatchers expires if it does not renew its presence.
    /// - Returns: nil without other dispatchers.
    public func firstExpiry(except holder: UUID) -> Duration? {
        dispatchers.lazy.filter { $0.holder != holder }.map(\.expiry).min()
    }

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

// A dispatcher is present until its row expires or it ends, and never again under the same holder. Another dispatcher may
// mark an expired row as over, and acquire its shards.

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

    /// Ends a dispatcher's presence and releases its leases, so that the others need not wait for its expiry.
    ///
    /// It must have stored everything that it has sent.
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

    /// Returns the present dispatchers and the shards without a lease, after marking the dispatchers that have expired as
    /// over.
    ///
    /// One round trip, unless a dispatcher has expired. The statement that marks it sees a renewal under way as a lock and
    /// skips it, so afterwards none can succeed. A row that another session keeps locked cannot be marked. It counts as
    /// over once it has expired longer ago than `grace`: if that is the duration of a presence, a renewal under way cannot
    /// make the dispatcher present any more, since it counts the duration from its own beginning, which was not later
    /// than the expiry.
    ///
    /// The row of a dispatcher that is over tells since when its shards have no dispatcher. It is removed when others
    /// have acquired them.
    /// - Parameters:
    ///   - grace: how long a dispatcher whose row cannot be marked keeps its leases after it has expired.
    ///   - holder: the dispatcher that asks, whose own leases are read, too: after a failover they may be others than those
    ///     that it knows.
    /// - Returns: the survey.
    /// - Throws: `PostgresError`.
    public func leaseSurvey(grace: Duration, for holder: UUID? = nil) async throws -> LeaseSurvey {
        var survey = try await readSurvey(grace: grace, for: holder)
        var hasMarked = false
        for holder in survey.expired {
            let mark = PostgresQuery(DispatcherStatements.markOver, holder)
            if try await pool.query(mark).affectedRows == 1 { hasMarked = true }
        }
        if hasMarked { survey = try await readSurvey(grace: grace, for: holder) }
        for holder in survey.over { _ = try await pool.query(PostgresQuery(DispatcherStatements.remove, holder)) }
        return survey.result
    }

    /// - Returns: the survey, the dispatchers that have expired and are not over, and those that are over and held none of
    ///   the shards without a lease.
    private func readSurvey(
        grace: Duration,
        for own: UUID?
    ) async throws -> (result: LeaseSurvey, expired: [UUID], over: [UUID]) {
        // Nodes take over the other shards meanwhile.
        let unread = unreachableShards
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                freeLeases(besides: unread, grace: grace, for: own), PostgresQuery(DispatcherStatements.list),
            ])
        }
        let unleased = try unleased(results[0], besidesThoseOf: own)
        var present: [RegisteredDispatcher] = []
        var expired: [UUID] = []
        var over: [UUID] = []
        var released = Set(unleased.shards.keys).subtracting(unleased.holders.keys)
        for row in results[1] {
            let (holder, expiry, isOver, knowsAll, hasReleased) = try row.decode(
                UUID.self,
                Int64.self,
                Bool.self,
                Bool.self,
                Bool.self
            )
            let shards = unleased.holders.filter { $0.value == holder }.keys
            if hasReleased { released.formUnion(shards) }
            if isOver {
                if shards.isEmpty, unread.isEmpty { over.append(holder) }
            } else if expiry < 0 {
                expired.append(holder)
            } else {
                present.append(
                    RegisteredDispatcher(holder: holder, knowsAll: knowsAll, expiry: .microseconds(expiry))
                )
            }
        }
        let survey = LeaseSurvey(
            dispatchers: present,
            unleased: unleased.shards,
            lastHolders: unleased.holders,
            released: released,
            held: unleased.own,
            unread: unread,
            moment: unleased.moment
        )
        return (survey, expired, over)
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
    /// Whether a dispatcher is present.
    static let isPresent = "expires_at >= now() AND NOT is_over"

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
        WHERE holder = $1 AND \(isPresent)
        """
    )

    /// Lets the commit of the transaction not wait for the disk, and reads the clock.
    static let setNotDurable = Statement(
        "dispatcher.setNotDurable",
        "SELECT set_config('synchronous_commit', 'off', true), now()"
    )

    static let end = Statement(
        "dispatcher.end",
        """
        UPDATE dispatchers SET expires_at = least(expires_at, now()), is_over = true, has_released = true
        WHERE holder = $1 AND NOT is_over
        """
    )

    static let note = Statement(
        "dispatcher.note",
        "UPDATE dispatchers SET knows_all = $2 WHERE holder = $1"
    )

    /// Reads all rows, of which the table has one for each dispatcher: the microseconds until its expiry, and its marks.
    static let list = Statement(
        "dispatcher.list",
        """
        SELECT holder, (extract(epoch FROM expires_at - now()) * 1000000)::bigint, is_over, knows_all, has_released
        FROM dispatchers
        ORDER BY holder
        """
    )

    static let count = Statement(
        "dispatcher.count",
        "SELECT count(*) FROM dispatchers WHERE \(isPresent)"
    )

    /// Searches all rows: the table has one for each dispatcher.
    static let sends = Statement(
        "dispatcher.sends",
        "SELECT EXISTS (SELECT 1 FROM dispatchers WHERE \(isPresent) AND $1 = ANY (environments))"
    )

    /// Marks a dispatcher that has expired as over, unless its row is locked.
    static let markOver = Statement(
        "dispatcher.markOver",
        """
        UPDATE dispatchers SET is_over = true
        WHERE holder = $1 AND expires_at < now() AND \(isUnlocked)
        """
    )

    /// Removes a dispatcher that is over, unless its row is locked.
    static let remove = Statement(
        "dispatcher.remove",
        "DELETE FROM dispatchers WHERE holder = $1 AND is_over AND \(isUnlocked)"
    )

    /// Locks the row of the dispatcher `$1`, unless another session has locked it.
    private static let isUnlocked =
        "holder IN (SELECT holder FROM dispatchers WHERE holder = $1 FOR UPDATE SKIP LOCKED)"
}
