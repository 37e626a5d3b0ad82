import Encodings
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

extension GameStore {
    /// Renews a dispatcher's presence and returns its rank.
    /// - Parameters:
    ///   - holder: the dispatcher, as in its leases.
    ///   - environments: the APNs environments that it sends to.
    ///   - duration: how long the dispatcher counts as present without renewal, on the database's clock.
    /// - Returns: the dispatcher's rank.
    /// - Throws: `PostgresError`.
    public func heartbeat(
        dispatcher holder: UUID,
        sendingTo environments: Set<PushEnvironment>,
        for duration: Duration
    ) async throws -> DispatcherRank {
        let names = environments.map(\.rawValue).sorted()
        _ = try await pool.query(
            PostgresQuery(DispatcherStatements.heartbeat, holder, duration.wholeMicroseconds, names)
        )
        let rows = try await pool.query(PostgresQuery(DispatcherStatements.rank, holder))
        let (count, index) = try rows[0].decode(Int64.self, Int64.self)
        // On a machine that was suspended, the presence just renewed may have expired already.
        return DispatcherRank(index: Int(index), count: max(Int(count), Int(index) + 1))
    }

    /// Returns the number of present dispatchers, with or without leases.
    public func dispatcherCount() async throws -> Int {
        Int(try await pool.query(PostgresQuery(DispatcherStatements.count))[0].decode(Int64.self))
    }

    /// Returns whether a present dispatcher sends to an APNs environment.
    public func dispatcherSends(to environment: PushEnvironment) async throws -> Bool {
        try await pool.query(PostgresQuery(DispatcherStatements.sends, environment.rawValue))[0].decode(Bool.self)
    }

    /// Removes a dispatcher, so that the others need not wait for its presence to expire.
    ///
    /// Also removes dispatchers whose presence expired an hour ago, each with a statement of its own.
    public func remove(dispatcher holder: UUID) async throws {
        _ = try await pool.query(PostgresQuery(DispatcherStatements.remove, holder))
        for row in try await pool.query(PostgresQuery(DispatcherStatements.expired)) {
            _ = try await pool.query(PostgresQuery(DispatcherStatements.remove, try row.decode(UUID.self)))
        }
    }
}

enum DispatcherStatements {
    /// Sets the expiry of a dispatcher's presence and its environments, by primary key.
    static let heartbeat = Statement(
        "dispatcher.heartbeat",
        """
        INSERT INTO dispatchers (holder, expires_at, environments) VALUES ($1, now() + $2 * interval '1 microsecond', $3)
        ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at, environments = excluded.environments
        """
    )

    /// Counts the present dispatchers, and those ordered before `$1`; the table has a row for each dispatcher.
    static let rank = Statement(
        "dispatcher.rank",
        "SELECT count(*), count(*) FILTER (WHERE holder < $1) FROM dispatchers WHERE expires_at >= now()"
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

    static let remove = Statement(
        "dispatcher.remove",
        "DELETE FROM dispatchers WHERE holder = $1"
    )

    /// Lists the dispatchers whose presence expired more than an hour ago.
    static let expired = Statement(
        "dispatcher.expired",
        "SELECT holder FROM dispatchers WHERE expires_at < now() - interval '1 hour' ORDER BY holder"
    )
}
