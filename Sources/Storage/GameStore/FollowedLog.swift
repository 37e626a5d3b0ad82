public import GameCore
import PostgresClient

/// The part of a shard's log in which somebody looks for the events of some adventures.
public struct FollowedLog: Sendable, Hashable {
    /// Whose log it is.
    public let shard: Shard
    /// The position after which it begins.
    public let position: Int64
    /// The last position of it.
    public let head: Int64
    /// Whose events are looked for.
    public let adventureIDs: [AdventureID]

    /// A part of a log.
    public init(shard: Shard, after position: Int64, through head: Int64, of adventureIDs: [AdventureID]) {
        self.shard = shard
        self.position = position
        self.head = head
        self.adventureIDs = adventureIDs
    }
}

extension GameStore {
    /// The events of some adventures in some shards' logs, oldest first, all read in one round trip.
    /// - Parameters:
    ///   - logs: where to look, each shard once.
    ///   - limit: how many events to read of each shard at most.
    /// - Returns: what was found, in the order of `logs`.
    /// - Throws: `PostgresError`.
    public func events(in logs: [FollowedLog], limit: Int) async throws -> [[LogRecord]] {
        let queries = logs.map { log in
            PostgresQuery(
                LogStatements.followed,
                log.shard.column,
                log.position,
                log.head,
                log.adventureIDs,
                Int64(limit)
            )
        }
        let results = try await pool.withConnection { try await $0.pipeline(queries) }
        return try zip(logs, results).map { log, rows in try rows.map { try LogStatements.decode($0, of: log.shard) } }
    }
}
