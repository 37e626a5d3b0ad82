import Encodings
public import GameCore
public import GameLog
public import PostgresClient

extension Activity.State: PostgresEncodable, PostgresDecodable {}

extension ShardTransaction {
    /// Returns an activity of one of the shard's adventures; nil if it was never registered.
    public func activity(_ id: ActivityID, of adventureID: AdventureID) async throws -> Activity? {
        let rows = try await connection.query(
            PostgresQuery(ActivityStatements.read, shard.column, adventureID, [id])
        )
        return try rows.first.map(ActivityStatements.decode)
    }

    /// Returns the number of a player's live activities of an adventure.
    public func liveActivities(of playerID: PlayerID, in adventureID: AdventureID) async throws -> Int {
        let rows = try await connection.query(
            PostgresQuery(ActivityStatements.count, shard.column, adventureID, playerID)
        )
        return try rows.first.map { Int(try $0.decode(Int64.self)) } ?? 0
    }

    /// Returns a player's live activities in this shard.
    public func liveActivities(of playerID: PlayerID) async throws -> [Activity] {
        let rows = try await connection.query(PostgresQuery(ActivityStatements.liveOfPlayer, shard.column, playerID))
        return try rows.map(ActivityStatements.decode)
    }

    /// Records a new activity, or what has changed of a known one, and appends a log entry for it.
    ///
    /// A new token revives an activity whose old token was dead. An activity that is ended or released in the database
    /// keeps its state: ActivityKit never revives an activity. The timestamp of the newest push never goes back.
    ///
    /// What happened before is not pending for the activity: a newly registered device gets the current state.
    public mutating func register(_ activity: Activity) {
        append(.activityRegistered, of: activity.id, in: activity.adventureID)
        writes.append(
            PostgresQuery(
                ActivityStatements.upsert,
                shard.column,
                activity.adventureID,
                activity.id,
                activity.playerID,
                activity.pushToken,
                activity.environment,
                activity.frequentPushesEnabled,
                activity.locale,
                Int32(activity.generation),
                activity.state,
                activity.registeredAt.postgres,
                activity.tokenRegisteredAt.postgres,
                (now - .microseconds(1)).postgres,
                activity.lastTimestamp,
                activity.deviceID,
                activity.startsAt?.postgres,
                activity.alertPreferences.stored
            )
        )
    }

    /// Records the locale of a registered activity.
    ///
    /// Dispatchers do not use it, so no log entry is needed.
    public mutating func setLocale(of activity: Activity) {
        writes.append(
            PostgresQuery(
                ActivityStatements.setLocale,
                shard.column,
                activity.adventureID,
                activity.id,
                activity.locale
            )
        )
    }

    /// Requests an immediate push to a live activity from the dispatcher, by a log entry.
    /// - Returns: the position of the log entry.
    public mutating func requestPush(
        _ event: RequestedPush.Event,
        to activityID: ActivityID,
        of adventureID: AdventureID
    ) -> Int64 {
        append(LogKind(requesting: event), of: activityID, in: adventureID)
        writes.append(
            RequestedPushStatements.record(event, for: activityID, of: adventureID, position: head, at: now)
        )
        return head
    }

    /// Records that the app released an activity, and appends a log entry for it.
    public mutating func release(_ activityID: ActivityID, of adventureID: AdventureID) {
        append(.activityReleased, of: activityID, in: adventureID)
        writes.append(
            PostgresQuery(
                ActivityStatements.release,
                shard.column,
                adventureID,
                activityID,
                Activity.State.released
            )
        )
    }
}

extension GameStore {
    /// Returns an activity of an adventure; nil if it was never registered.
    public func activity(_ id: ActivityID, of adventureID: AdventureID) async throws -> Activity? {
        let query = PostgresQuery(ActivityStatements.read, adventureID.shard.column, adventureID, [id])
        return try await pool.query(query).first.map(ActivityStatements.decode)
    }

    /// Returns all activities of an adventure, in order of registration.
    public func activities(of adventureID: AdventureID) async throws -> [Activity] {
        let rows = try await pool.query(
            PostgresQuery(ActivityStatements.list, adventureID.shard.column, adventureID)
        )
        return try rows.map(ActivityStatements.decode)
    }

    /// Returns a player's live activities in some shards, by shard.
    public func liveActivities(of playerID: PlayerID, in shards: [Shard]) async throws -> [Activity] {
        guard !shards.isEmpty else { return [] }
        let query = PostgresQuery(ActivityStatements.liveOfPlayerInShards, shards.map(\.column), playerID)
        return try await pool.query(query).map(ActivityStatements.decode)
    }

    /// Returns the live activities with a push token, newest token first, but for those on machines that do not respond.
    public func liveActivities(withToken token: [UInt8], in environment: PushEnvironment) async throws -> [Activity] {
        try await rows(of: Shard.all) { shards in
            PostgresQuery(ActivityStatements.ofToken, shards.map(\.column), token, environment)
        }.map(ActivityStatements.decode)
    }

    /// Returns the activities with an identifier, newest registration first.
    ///
    /// Apps choose random identifiers, so there is at most one in practice.
    public func activities(named id: ActivityID) async throws -> [Activity] {
        let rows = try await pool.query(PostgresQuery(ActivityStatements.named, id))
        return try rows.map(ActivityStatements.decode)
    }

    /// Returns the activities of a party's adventures, newest registration first.
    public func activities(of partyID: PartyID, limit: Int) async throws -> [Activity] {
        let rows = try await pool.query(
            PostgresQuery(ActivityStatements.ofParty, partyID.shard.column, partyID, Int64(limit))
        )
        return try rows.map(ActivityStatements.decode)
    }

    /// Returns a player's activities, newest registration first.
    public func activities(of playerID: PlayerID, limit: Int) async throws -> [Activity] {
        let rows = try await pool.query(
            PostgresQuery(ActivityStatements.newestOfPlayer, Shard.all.map(\.column), playerID, Int64(limit))
        )
        return try rows.map(ActivityStatements.decode)
    }

    /// Returns all live activities of a shard.
    ///
    /// A dispatcher loads them when it acquires the shard's lease.
    public func liveActivities(of shard: Shard) async throws -> [Activity] {
        let rows = try await pool.query(PostgresQuery(ActivityStatements.live, shard.column))
        return try rows.map(ActivityStatements.decode)
    }
}

enum ActivityStatements {
    private static let columns = """
        activity_id, adventure_id, player_id, push_token, environment, frequent_pushes, locale, generation, state,
        registered_at, token_registered_at, last_timestamp, acknowledged_at,
        accepted_alerts, coalesce(device_id, player_id), starts_at, alert_preferences
        """

    /// When the budget of the device is full again: the latest such moment among its activities in the shard `$1`, since
    /// they share a budget.
    private static let sharedBudget = """
        (
            SELECT max(b.budget_full_at) FROM activities AS b
            WHERE b.shard = $1 AND b.player_id = activities.player_id
                AND coalesce(b.device_id, b.player_id) = coalesce(activities.device_id, activities.player_id)
        )
        """

    /// Reads activities of one adventure by primary key.
    static let read = Statement(
        "activity.read",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE shard = $1 AND adventure_id = $2 AND activity_id = ANY ($3)
        ORDER BY activity_id
        """
    )

    /// Counts a player's live activities of one adventure, along the primary key.
    static let count = Statement(
        "activity.count",
        """
        SELECT count(*) FROM activities
        WHERE shard = $1 AND adventure_id = $2 AND player_id = $3 AND state = 'live'
        """
    )

    /// Reads all activities of one adventure, along the primary key.
    static let list = Statement(
        "activity.list",
        """
        SELECT \(columns), \(sharedBudget) FROM activities
        WHERE shard = $1 AND adventure_id = $2
        ORDER BY registered_at, activity_id
        """
    )

    /// Reads activities of all shards through `activities_activity_idx`: an operator has only the identifier, and
    /// such requests are rare.
    static let named = Statement(
        "activity.named",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE activity_id = $1
        ORDER BY registered_at DESC, adventure_id
        """
    )

    /// Reads the live activities with a token in several shards through the index on tokens, which are random.
    static let ofToken = Statement(
        "activity.ofToken",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE shard = ANY ($1) AND push_token = $2 AND environment = $3 AND state = 'live'
        ORDER BY token_registered_at DESC, adventure_id, activity_id
        LIMIT 100
        """
    )

    /// Reads the live activities of a shard through the partial index on live activities.
    static let live = Statement(
        "activity.live",
        """
        SELECT \(columns), \(sharedBudget) FROM activities
        WHERE shard = $1 AND state = 'live'
        ORDER BY adventure_id, activity_id
        """
    )

    /// Reads a player's live activities in a shard through the index on players.
    static let liveOfPlayer = Statement(
        "activity.liveOfPlayer",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE shard = $1 AND player_id = $2 AND state = 'live'
        ORDER BY adventure_id, activity_id
        """
    )

    /// Reads a player's live activities in the shards `$1` through the index on live activities of players.
    static let liveOfPlayerInShards = Statement(
        "activity.liveOfPlayerInShards",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE shard = ANY ($1) AND player_id = $2 AND state = 'live'
        ORDER BY shard, adventure_id, activity_id
        """
    )

    /// Reads at most `$6` activities of a player in the shards `$1` after a cursor, through the index on players.
    static let ofPlayer = Statement(
        "activity.ofPlayer",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE shard = ANY ($1) AND player_id = $2 AND (shard, adventure_id, activity_id) > ($3, $4, $5)
        ORDER BY shard, adventure_id, activity_id
        LIMIT $6
        """
    )

    /// Reads at most `$3` activities of a party's adventures, newest registration first.
    static let ofParty = Statement(
        "activity.ofParty",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE shard = $1
            AND adventure_id IN (SELECT a.adventure_id FROM adventures AS a WHERE a.shard = $1 AND a.party_id = $2)
        ORDER BY registered_at DESC, adventure_id, activity_id
        LIMIT $3
        """
    )

    /// Reads at most `$4` of a player's activities in several shards, newest registration first.
    static let newestOfPlayer = Statement(
        "activity.newestOfPlayer",
        """
        SELECT \(columns), budget_full_at FROM activities
        WHERE shard = ANY ($1) AND player_id = $2
        ORDER BY registered_at DESC, adventure_id, activity_id
        LIMIT $3
        """
    )

    /// Inserts an activity, or updates its token, its locale, its start and which alerts ring.
    ///
    /// A dead activity becomes live again; ended and released activities keep their state.
    static let upsert = Statement(
        "activity.upsert",
        """
        INSERT INTO activities
            (shard, adventure_id, activity_id, player_id, push_token, environment, frequent_pushes, locale,
             generation, state, registered_at, token_registered_at, acknowledged_at, last_timestamp, device_id, starts_at,
             alert_preferences)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        ON CONFLICT (shard, adventure_id, activity_id) DO UPDATE
        SET push_token = excluded.push_token,
            environment = excluded.environment,
            locale = excluded.locale,
            starts_at = excluded.starts_at,
            alert_preferences = excluded.alert_preferences,
            generation = excluded.generation,
            state = CASE WHEN activities.state = 'dead' THEN 'live' ELSE activities.state END,
            token_registered_at = excluded.token_registered_at,
            last_timestamp = greatest(activities.last_timestamp, excluded.last_timestamp)
        """
    )

    /// Sets the locale of an activity by primary key.
    static let setLocale = Statement(
        "activity.setLocale",
        "UPDATE activities SET locale = $4 WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3"
    )

    /// Sets the state of a live activity by primary key.
    static let release = Statement(
        "activity.release",
        """
        UPDATE activities SET state = $4
        WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3 AND state = 'live'
        """
    )

    static func decode(_ row: PostgresRow) throws -> Activity {
        let (
            id, adventureID, playerID, pushToken, environment, frequent, locale, generation, state,
            registeredAt, tokenRegisteredAt, lastTimestamp, acknowledgedAt, acceptedAlerts, deviceID, startsAt,
            alertPreferences, budgetFullAt
        ) = try row.decode(
            ActivityID.self,
            AdventureID.self,
            PlayerID.self,
            [UInt8].self,
            PushEnvironment.self,
            Bool.self,
            String?.self,
            Int32.self,
            Activity.State.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self,
            Int64.self,
            PostgresTimestamp.self,
            [UInt8].self,
            DeviceID.self,
            PostgresTimestamp?.self,
            String?.self,
            PostgresTimestamp?.self
        )
        return Activity(
            id: id,
            adventureID: adventureID,
            playerID: playerID,
            deviceID: deviceID,
            pushToken: pushToken,
            environment: environment,
            frequentPushesEnabled: frequent,
            locale: locale,
            generation: Int(generation),
            state: state,
            registeredAt: Timestamp(registeredAt),
            tokenRegisteredAt: Timestamp(tokenRegisteredAt),
            lastTimestamp: lastTimestamp,
            acknowledgedAt: Timestamp(acknowledgedAt),
            acceptedAlerts: acceptedAlerts,
            startsAt: startsAt.map(Timestamp.init),
            budgetFullAt: budgetFullAt.map(Timestamp.init),
            alertPreferences: try AlertPreferences(stored: alertPreferences)
        )
    }
}
