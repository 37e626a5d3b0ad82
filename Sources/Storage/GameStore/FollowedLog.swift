public import GameCore
import PostgresClient

/// A range of a shard's log to be searched for the events of some adventures.
public struct FollowedLog: Sendable, Hashable {
    /// The shard of the log.
    public let shard: Shard
    /// The position before the range.
    public let position: Int64
    /// The last position of the range.
    public let head: Int64
    /// The adventures whose events are searched for.
    public let adventureIDs: [AdventureID]

    /// Creates a range.
    public init(shard: Shard, after position: Int64, through head: Int64, of adventureIDs: [AdventureID]) {
        self.shard = shard
        self.position = position
        self.head = head
        self.adventureIDs = adventureIDs
    }
}

extension GameStore {
    /// Returns the events of some adventures in ranges of several logs, in one round trip.
    /// - Parameters:
    ///   - logs: the ranges, each of a different shard.
    ///   - limit: the maximum number of events per shard.
    /// - Returns: the events of each range, oldest first, in the order of `logs`.
    /// - Throws: `PostgresError`.
    public func events(in logs: [FollowedLog], limit: Int) async throws -> [[LogEntry]] {
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
