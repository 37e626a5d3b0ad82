import Encodings
public import Foundation
import GameCore
import PostgresClient

/// A dispatcher among those that share the shards at a moment.
public struct DispatcherRank: Sendable, Hashable {
    /// Its place in an order that is the same for all of them, from zero on.
    public let place: Int
    /// How many there are, at least one.
    public let count: Int

    /// A place among some.
    public init(place: Int, count: Int) {
        precondition(count > 0 && (0..<count).contains(place), "a dispatcher is one of those that there are")
        self.place = place
        self.count = count
    }

    /// How many shards are this dispatcher's; those of all together are all, and no two differ by more than one.
    public func share(of shards: Int) -> Int {
        shards / count + (place < shards % count ? 1 : 0)
    }
}

extension GameStore {
    /// Says that a dispatcher is there, and counts all that are.
    /// - Parameters:
    ///   - holder: as in its leases.
    ///   - duration: how long it counts, on the database's clock, unless it says so again.
    /// - Returns: its place among them.
    /// - Throws: `PostgresError`.
    public func announce(dispatcher holder: UUID, for duration: Duration) async throws -> DispatcherRank {
        _ = try await pool.query(PostgresQuery(DispatcherStatements.announce, holder, duration.wholeMicroseconds))
        let rows = try await pool.query(PostgresQuery(DispatcherStatements.rank, holder))
        let (count, place) = try rows[0].decode(Int64.self, Int64.self)
        // What was said a moment ago may have expired by now, on a machine that stood still.
        return DispatcherRank(place: Int(place), count: max(Int(count), Int(place) + 1))
    }

    /// How many dispatchers are there, whether they have shards or not.
    public func dispatcherCount() async throws -> Int {
        Int(try await pool.query(PostgresQuery(DispatcherStatements.count))[0].decode(Int64.self))
    }

    /// Says that a dispatcher is there no more, so that the others need not wait until they no longer count it; forgets
    /// those that never said so, an hour later, each by itself.
    public func retire(dispatcher holder: UUID) async throws {
        _ = try await pool.query(PostgresQuery(DispatcherStatements.retire, holder))
        for row in try await pool.query(PostgresQuery(DispatcherStatements.gone)) {
            _ = try await pool.query(PostgresQuery(DispatcherStatements.retire, try row.decode(UUID.self)))
        }
    }
}

enum DispatcherStatements {
    static let announce = Statement(
        "dispatcher.announce",
        """
        INSERT INTO dispatchers (holder, expires_at) VALUES ($1, now() + $2 * interval '1 microsecond')
        ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at
        """
    )

    static let rank = Statement(
        "dispatcher.rank",
        "SELECT count(*), count(*) FILTER (WHERE holder < $1) FROM dispatchers WHERE expires_at >= now()"
    )

    static let count = Statement(
        "dispatcher.count",
        "SELECT count(*) FROM dispatchers WHERE expires_at >= now()"
    )

    static let retire = Statement(
        "dispatcher.retire",
        "DELETE FROM dispatchers WHERE holder = $1"
    )

    static let gone = Statement(
        "dispatcher.gone",
        "SELECT holder FROM dispatchers WHERE expires_at < now() - interval '1 hour' ORDER BY holder"
    )
}
