public import Encodings
public import Foundation
public import GameCore
public import GameLog
import PostgresClient

// Broadcast channels. Each change locks one row, in the shard of the owner. The limit of APNs counts the channels of all
// shards, so one dispatcher at a time creates those of an environment: the holder of the environment's row in
// `channel_keepers`, until it expires. Two at once would do no harm: each request is claimed in the channel's row.

/// The dispatcher that keeps the channels of an environment, and its newest comparison with the list of APNs.
public struct ChannelKeeping: Hashable, Sendable {
    /// What a comparison with the list of APNs found.
    public struct Comparison: Hashable, Sendable {
        /// When it began.
        public let at: Timestamp
        /// The number of channels that APNs listed.
        public let listed: Int
        /// Those that no row had: leftovers of interrupted requests.
        public let unknown: Int
        /// Those of rows that APNs had lost, and creates again.
        public let lost: Int

        /// Creates a comparison.
        public init(at: Timestamp, listed: Int, unknown: Int, lost: Int) {
            self.at = at
            self.listed = listed
            self.unknown = unknown
            self.lost = lost
        }
    }

    /// The environment.
    public let environment: PushEnvironment
    /// When an operator asked for a comparison last; nil for never.
    public let requestedAt: Timestamp?
    /// The newest comparison; nil before the first.
    public let comparison: Comparison?
}

extension AuditAction {
    /// A comparison of the channels with APNs' list was requested.
    public static let channelReconcile = Self(rawValue: "channel.reconcile")
}

extension GameStore {
    /// Records that an owner needs a channel.
    ///
    /// Does nothing if it has one that is not deleted. A deleted one begins again.
    /// - Parameters:
    ///   - keys: the owner, in each environment.
    ///   - policy: what APNs stores.
    /// - Throws: `PostgresError`.
    public func wantChannels(_ keys: [BroadcastChannel.Key], storing policy: BroadcastChannel.StoragePolicy)
        async throws
    {
        for key in keys {
            _ = try await pool.query(
                PostgresQuery(
                    ChannelStatements.want,
                    key.shard.column,
                    key.owner.kind.rawValue,
                    key.owner.id,
                    key.environment,
                    policy.rawValue
                )
            )
        }
    }

    /// Changes a channel while its row is locked.
    /// - Parameters:
    ///   - key: the channel.
    ///   - change: changes the channel at the database's time, and returns a value.
    /// - Returns: the value; nil if there is no such channel.
    /// - Throws: `PostgresError`.
    public func changeChannel<Value: Sendable>(
        _ key: BroadcastChannel.Key,
        _ change: @Sendable (inout BroadcastChannel, Timestamp) -> Value
    ) async throws -> Value? {
        try await pool.withTransaction { connection in
            let rows = try await connection.query(
                PostgresQuery(
                    ChannelStatements.lock,
                    key.shard.column,
                    key.owner.kind.rawValue,
                    key.owner.id,
                    key.environment
                )
            )
            guard let row = rows.first else { return nil }
            let (stored, now) = try ChannelStatements.decode(row)
            var channel = stored
            let value = change(&channel, now)
            if channel != stored {
                _ = try await connection.pipeline([ChannelStatements.update(channel)], committing: true)
            }
            return value
        }
    }

    /// Returns the channels of an environment that are not deleted, without those on machines that do not respond.
    public func channels(in environment: PushEnvironment) async throws -> [BroadcastChannel] {
        try await rows(of: Shard.all) { shards in
            PostgresQuery(ChannelStatements.list, shards.map(\.column), environment)
        }.map { try ChannelStatements.decode($0).channel }
    }

    /// Returns the channels of an environment that APNs has to create or delete now.
    ///
    /// Those to delete come first, which make room for others.
    /// - Parameters:
    ///   - environment: the environment.
    ///   - limit: the maximum number of channels.
    /// - Returns: the channels, without those on machines that do not respond.
    /// - Throws: `PostgresError`.
    public func dueChannels(in environment: PushEnvironment, limit: Int) async throws -> [BroadcastChannel] {
        try await rows(of: Shard.all) { shards in
            PostgresQuery(ChannelStatements.due, shards.map(\.column), environment, Int64(limit))
        }.map { try ChannelStatements.decode($0).channel }
    }

    /// Returns the channels of an owner in all environments.
    public func channels(of owner: BroadcastChannel.Owner) async throws -> [BroadcastChannel] {
        try await pool.query(
            PostgresQuery(
                ChannelStatements.ofOwner,
                Shard(of: owner.id).column,
                owner.kind.rawValue,
                owner.id
            )
        ).map { try ChannelStatements.decode($0).channel }
    }

    /// Returns the number of channels of an environment by state, without those on machines that do not respond.
    public func channelCounts(in environment: PushEnvironment) async throws -> [BroadcastChannel.State: Int] {
        try await rows(of: Shard.all) { shards in
            PostgresQuery(ChannelStatements.count, shards.map(\.column), environment)
        }.reduce(into: [:]) { counts, row in
            let (state, count) = try row.decode(String.self, Int64.self)
            if let state = BroadcastChannel.State(rawValue: state) { counts[state, default: 0] += Int(count) }
        }
    }

    /// Removes the channels that were deleted before a moment.
    public func removeChannels(deletedBefore moment: Timestamp) async throws {
        for shard in Shard.all {
            _ = try await pool.query(PostgresQuery(ChannelStatements.remove, shard.column, moment.postgres))
        }
    }

    /// Claims or renews the keeping of an environment's channels.
    /// - Parameters:
    ///   - environment: the environment.
    ///   - holder: the dispatcher.
    ///   - duration: how long it keeps them without renewal.
    /// - Returns: the state of the keeping; nil if another dispatcher has it.
    /// - Throws: `PostgresError`.
    public func keepChannels(
        in environment: PushEnvironment,
        by holder: UUID,
        for duration: Duration
    ) async throws -> ChannelKeeping? {
        try await pool.query(
            PostgresQuery(ChannelStatements.keep, environment, holder, duration.wholeMicroseconds)
        ).first.map(ChannelStatements.decodeKeeping)
    }

    /// Ends the keeping of an environment's channels, so that another dispatcher need not wait for its expiry.
    public func releaseChannels(in environment: PushEnvironment, by holder: UUID) async throws {
        _ = try await pool.query(PostgresQuery(ChannelStatements.release, environment, holder))
    }

    /// Records a comparison with the list of APNs.
    public func note(_ comparison: ChannelKeeping.Comparison, in environment: PushEnvironment) async throws {
        _ = try await pool.query(
            PostgresQuery(
                ChannelStatements.note,
                environment,
                comparison.at.postgres,
                Int32(clamping: comparison.listed),
                Int32(clamping: comparison.unknown),
                Int32(clamping: comparison.lost)
            )
        )
    }

    /// Returns the keeping of all environments that a dispatcher has ever kept.
    public func channelKeepings() async throws -> [ChannelKeeping] {
        try await pool.query(PostgresQuery(ChannelStatements.keepings)).map(ChannelStatements.decodeKeeping)
    }

    /// Returns the environments whose channels a dispatcher keeps now.
    public func keptEnvironments() async throws -> [PushEnvironment] {
        try await pool.query(PostgresQuery(ChannelStatements.kept)).map { try $0.decode(PushEnvironment.self) }
    }

    /// Requests a comparison of all channels with the lists of APNs, and records it in the audit log.
    /// - Returns: the keeping of all environments.
    /// - Throws: `PostgresError`.
    public func requestChannelReconciliation(by author: AuditAuthor) async throws -> [ChannelKeeping] {
        try await audit(AuditChange(.channelReconcile, of: "channels", by: author))
        _ = try await pool.query(PostgresQuery(ChannelStatements.request))
        return try await channelKeepings()
    }
}

enum ChannelStatements {
    private static let columns = """
        owner_kind, owner_id, environment, storage_policy, state, channel_id, wanted_at, created_at, used_at, attempted_at, \
        attempts, retry_at, version, stage, broadcast_failures, broadcast_after, clock_timestamp()
        """
    private static let keeperColumns = "environment, requested_at, reconciled_at, listed, unknown, lost"

    /// Inserts a channel, or begins a deleted one again, by primary key.
    static let want = Statement(
        "channel.want",
        """
        INSERT INTO channels
            (shard, owner_kind, owner_id, environment, storage_policy, state, wanted_at, used_at, retry_at, broadcast_after)
        VALUES ($1, $2, $3, $4, $5, 'wanted', now(), now(), now(), now())
        ON CONFLICT (shard, owner_kind, owner_id, environment) DO UPDATE
        SET storage_policy = excluded.storage_policy, state = 'wanted', wanted_at = excluded.wanted_at,
            used_at = excluded.used_at, created_at = NULL, attempted_at = NULL, attempts = 0, retry_at = excluded.retry_at,
            version = 0, stage = 0, broadcast_failures = 0, broadcast_after = excluded.broadcast_after
        WHERE channels.state = 'deleted'
        """
    )

    /// Locks a channel by primary key.
    static let lock = Statement(
        "channel.lock",
        """
        SELECT \(columns) FROM channels
        WHERE shard = $1 AND owner_kind = $2 AND owner_id = $3 AND environment = $4
        FOR UPDATE
        """
    )

    /// Updates a channel by primary key.
    static let update = Statement(
        "channel.update",
        """
        UPDATE channels
        SET storage_policy = $5, state = $6, channel_id = $7, wanted_at = $8, created_at = $9, used_at = $10,
            attempted_at = $11, attempts = $12, retry_at = $13, version = $14, stage = $15, broadcast_failures = $16,
            broadcast_after = $17
        WHERE shard = $1 AND owner_kind = $2 AND owner_id = $3 AND environment = $4
        """
    )

    /// Reads the channels of an environment through its index.
    static let list = Statement(
        "channel.list",
        """
        SELECT \(columns) FROM channels
        WHERE shard = ANY ($1) AND environment = $2 AND state <> 'deleted'
        ORDER BY wanted_at, owner_id
        """
    )

    /// Reads at most `$3` channels that APNs has to create or delete, through their index.
    static let due = Statement(
        "channel.due",
        """
        SELECT \(columns) FROM channels
        WHERE shard = ANY ($1) AND environment = $2 AND state IN ('wanted', 'ending') AND retry_at <= now()
        ORDER BY state, retry_at
        LIMIT $3
        """
    )

    /// Reads the channels of an owner along the primary key.
    static let ofOwner = Statement(
        "channel.ofOwner",
        """
        SELECT \(columns) FROM channels
        WHERE shard = $1 AND owner_kind = $2 AND owner_id = $3
        ORDER BY environment
        """
    )

    /// Counts the channels of an environment through its index.
    static let count = Statement(
        "channel.count",
        """
        SELECT state, count(*) FROM channels
        WHERE shard = ANY ($1) AND environment = $2 AND state <> 'deleted'
        GROUP BY state
        """
    )

    /// Removes the deleted channels of a shard along the primary key.
    static let remove = Statement(
        "channel.remove",
        "DELETE FROM channels WHERE shard = $1 AND state = 'deleted' AND used_at < $2"
    )

    /// Claims the keeping of an environment, unless another holder's has not expired, by primary key.
    static let keep = Statement(
        "channelKeeper.keep",
        """
        UPDATE channel_keepers SET holder = $2, held_until = now() + $3 * interval '1 microsecond'
        WHERE environment = $1 AND (holder = $2 OR held_until < now())
        RETURNING \(keeperColumns)
        """
    )

    static let release = Statement(
        "channelKeeper.release",
        "UPDATE channel_keepers SET held_until = now() WHERE environment = $1 AND holder = $2"
    )

    static let note = Statement(
        "channelKeeper.note",
        "UPDATE channel_keepers SET reconciled_at = $2, listed = $3, unknown = $4, lost = $5 WHERE environment = $1"
    )

    /// Requests a comparison in all environments.
    static let request = Statement("channelKeeper.request", "UPDATE channel_keepers SET requested_at = now()")

    static let keepings = Statement(
        "channelKeeper.list",
        "SELECT \(keeperColumns) FROM channel_keepers WHERE holder IS NOT NULL ORDER BY environment"
    )

    static let kept = Statement(
        "channelKeeper.kept",
        "SELECT environment FROM channel_keepers WHERE held_until > now() ORDER BY environment"
    )

    static func update(_ channel: BroadcastChannel) -> PostgresQuery {
        PostgresQuery(
            update,
            channel.key.shard.column,
            channel.key.owner.kind.rawValue,
            channel.key.owner.id,
            channel.key.environment,
            channel.storagePolicy.rawValue,
            channel.state.rawValue,
            channel.channelID,
            channel.wantedAt.postgres,
            channel.createdAt?.postgres,
            channel.usedAt.postgres,
            channel.attemptedAt?.postgres,
            Int32(clamping: channel.attempts),
            channel.retryAt.postgres,
            channel.version,
            Int32(clamping: channel.stage),
            Int32(clamping: channel.broadcastFailures),
            channel.broadcastAfter.postgres
        )
    }

    /// Returns the channel of a row, and the database's time.
    static func decode(_ row: PostgresRow) throws -> (channel: BroadcastChannel, now: Timestamp) {
        let (
            kind, ownerID, environment, policy, state, channelID, wantedAt, createdAt, usedAt, attemptedAt, attempts,
            retryAt,
            version, stage, failures, broadcastAfter, now
        ) = try row.decode(
            String.self,
            UUID.self,
            PushEnvironment.self,
            Int16.self,
            String.self,
            String?.self,
            PostgresTimestamp.self,
            PostgresTimestamp?.self,
            PostgresTimestamp.self,
            PostgresTimestamp?.self,
            Int32.self,
            PostgresTimestamp.self,
            Int64.self,
            Int32.self,
            Int32.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self
        )
        guard let kind = BroadcastChannel.Owner.Kind(rawValue: kind),
            let policy = BroadcastChannel.StoragePolicy(rawValue: policy),
            let state = BroadcastChannel.State(rawValue: state)
        else {
            let reason = "owner \(kind), storage policy \(policy) or state \(state) is unknown"
            throw StoreError.undecodable(table: "channels", id: ownerID.lowercaseText, reason: reason)
        }
        let channel = BroadcastChannel(
            key: BroadcastChannel.Key(BroadcastChannel.Owner(kind, ownerID), in: environment),
            storagePolicy: policy,
            state: state,
            channelID: channelID,
            wantedAt: Timestamp(wantedAt),
            createdAt: createdAt.map(Timestamp.init),
            usedAt: Timestamp(usedAt),
            attemptedAt: attemptedAt.map(Timestamp.init),
            attempts: Int(attempts),
            retryAt: Timestamp(retryAt),
            version: version,
            stage: Int(stage),
            broadcastFailures: Int(failures),
            broadcastAfter: Timestamp(broadcastAfter)
        )
        return (channel, Timestamp(now))
    }

    static func decodeKeeping(_ row: PostgresRow) throws -> ChannelKeeping {
        let (environment, requestedAt, comparedAt, listed, unknown, lost) = try row.decode(
            PushEnvironment.self,
            PostgresTimestamp?.self,
            PostgresTimestamp?.self,
            Int32?.self,
            Int32?.self,
            Int32?.self
        )
        return ChannelKeeping(
            environment: environment,
            requestedAt: requestedAt.map(Timestamp.init),
            comparison: comparedAt.map {
                ChannelKeeping.Comparison(
                    at: Timestamp($0),
                    listed: Int(listed ?? 0),
                    unknown: Int(unknown ?? 0),
                    lost: Int(lost ?? 0)
                )
            }
        )
    }
}
