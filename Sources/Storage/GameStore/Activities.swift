public import Encodings
public import GameCore
public import PostgresClient

/// Which of Apple's push services, or the simulator, a token belongs to.
public enum PushEnvironment: String, Codable, Hashable, Sendable, CaseIterable {
    /// Builds from TestFlight and the App Store.
    case production
    /// Builds signed for development.
    case sandbox
    /// The APNs simulator.
    case simulator
}

/// One Live Activity on one device.
public struct Activity: Sendable {
    /// Whether it is still pushed to.
    public enum State: String, Sendable, CaseIterable {
        /// It is.
        case live
        /// APNs has accepted its `end`.
        case ended
        /// The phone has ended or dismissed it.
        case released
        /// APNs has refused its token for good.
        case dead
    }

    /// What the app calls it.
    public let id: ActivityID
    /// The adventure that it shows.
    public let adventureID: AdventureID
    /// Whose phone it is on.
    public let playerID: PlayerID
    /// The bytes of the ActivityKit push token.
    public var pushToken: [UInt8]
    /// Where the token is valid.
    public var environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled`, which holds for the activity's life.
    public let frequentPushesEnabled: Bool
    /// The phone's language (BCP 47), for support; the phone localises by itself.
    public let locale: String?
    /// 1 and up: raised by every new token.
    public var generation: Int
    /// Whether it is still pushed to.
    public var state: State
    /// When the app registered it.
    public let registeredAt: Timestamp
    /// When the app registered its newest token.
    public var tokenRegisteredAt: Timestamp
    /// `timestamp` of the newest push in seconds since 1970, zero before the first.
    public var lastTimestamp: Int64
    /// Nothing at or below this position of the log is still owed to this phone.
    public var settledPosition: Int64

    /// An activity that an app has just registered.
    public init(
        id: ActivityID,
        adventureID: AdventureID,
        playerID: PlayerID,
        pushToken: [UInt8],
        environment: PushEnvironment,
        frequentPushesEnabled: Bool,
        locale: String?,
        registeredAt: Timestamp
    ) {
        self.init(
            id: id,
            adventureID: adventureID,
            playerID: playerID,
            pushToken: pushToken,
            environment: environment,
            frequentPushesEnabled: frequentPushesEnabled,
            locale: locale,
            generation: 1,
            state: .live,
            registeredAt: registeredAt,
            tokenRegisteredAt: registeredAt,
            lastTimestamp: 0,
            settledPosition: 0
        )
    }

    init(
        id: ActivityID,
        adventureID: AdventureID,
        playerID: PlayerID,
        pushToken: [UInt8],
        environment: PushEnvironment,
        frequentPushesEnabled: Bool,
        locale: String?,
        generation: Int,
        state: State,
        registeredAt: Timestamp,
        tokenRegisteredAt: Timestamp,
        lastTimestamp: Int64,
        settledPosition: Int64
    ) {
        self.id = id
        self.adventureID = adventureID
        self.playerID = playerID
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
        self.locale = locale
        self.generation = generation
        self.state = state
        self.registeredAt = registeredAt
        self.tokenRegisteredAt = tokenRegisteredAt
        self.lastTimestamp = lastTimestamp
        self.settledPosition = settledPosition
    }
}

extension PushEnvironment: PostgresEncodable, PostgresDecodable {}
extension Activity.State: PostgresEncodable, PostgresDecodable {}

extension ShardTransaction {
    /// An activity of an adventure of this shard, nil when it was never registered.
    public func activity(_ id: ActivityID, of adventureID: AdventureID) async throws -> Activity? {
        let rows = try await connection.query(
            PostgresQuery(ActivityStatements.read, shard.column, adventureID, [id])
        )
        return try rows.first.map(ActivityStatements.decode)
    }

    /// How many live activities of an adventure a player has.
    public func liveActivities(of playerID: PlayerID, in adventureID: AdventureID) async throws -> Int {
        let rows = try await connection.query(
            PostgresQuery(ActivityStatements.count, shard.column, adventureID, playerID)
        )
        return try rows.first.map { Int(try $0.decode(Int64.self)) } ?? 0
    }

    /// Every live activity of a player in this shard.
    public func liveActivities(of playerID: PlayerID) async throws -> [Activity] {
        let rows = try await connection.query(PostgresQuery(ActivityStatements.liveOfPlayer, shard.column, playerID))
        return try rows.map(ActivityStatements.decode)
    }

    /// Records a new activity or a new token of a known one, and says so in the log.
    ///
    /// A new token brings back an activity whose old token was dead. One that has ended or was let go of stays so,
    /// whatever was read before: ActivityKit never revives one.
    ///
    /// Whatever the log held before is not owed one by one: a phone that just registered is owed the current state,
    /// so the activity starts settled up to its own entry's predecessor.
    public mutating func register(_ activity: Activity, in stored: StoredAdventure) {
        let settled = head
        append(.registered, of: activity.id, in: stored)
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
                settled
            )
        )
    }

    /// Has the dispatcher push to a live activity at once, through the log: an operator asks for it.
    /// - Returns: the position of the entry that asks.
    public mutating func ask(
        for event: AskedPush.Event,
        to activityID: ActivityID,
        in stored: StoredAdventure
    ) -> Int64 {
        append(ActivityLogKind(askingFor: event), of: activityID, in: stored)
        writes.append(
            AskedPushStatements.note(event, for: activityID, of: stored.id, position: head, at: now)
        )
        return head
    }

    /// Records that the phone let go of an activity, and says so in the log.
    public mutating func release(_ activityID: ActivityID, in stored: StoredAdventure) {
        append(.released, of: activityID, in: stored)
        writes.append(
            PostgresQuery(
                ActivityStatements.leave,
                shard.column,
                stored.id,
                activityID,
                Activity.State.released
            )
        )
    }
}

extension GameStore {
    /// Every activity of an adventure, in the order of registration.
    public func activities(of adventureID: AdventureID) async throws -> [Activity] {
        let rows = try await pool.query(
            PostgresQuery(ActivityStatements.list, adventureID.shard.column, adventureID)
        )
        return try rows.map(ActivityStatements.decode)
    }

    /// Some activities of an adventure.
    public func activities(_ ids: [ActivityID], of adventureID: AdventureID) async throws -> [Activity] {
        let rows = try await pool.query(
            PostgresQuery(ActivityStatements.read, adventureID.shard.column, adventureID, ids)
        )
        return try rows.map(ActivityStatements.decode)
    }

    /// Every live activity of a player in a shard.
    public func liveActivities(of playerID: PlayerID, in shard: Shard) async throws -> [Activity] {
        let rows = try await pool.query(PostgresQuery(ActivityStatements.liveOfPlayer, shard.column, playerID))
        return try rows.map(ActivityStatements.decode)
    }

    /// The activities that apps call by an identifier, the newest registration first: none, or one, since apps take
    /// random ones.
    public func activities(named id: ActivityID) async throws -> [Activity] {
        let rows = try await pool.query(PostgresQuery(ActivityStatements.named, id))
        return try rows.map(ActivityStatements.decode)
    }

    /// The activities of a party's adventures, the newest registration first.
    public func activities(of partyID: PartyID, limit: Int) async throws -> [Activity] {
        let rows = try await pool.query(
            PostgresQuery(ActivityStatements.ofParty, partyID.shard.column, partyID, Int64(limit))
        )
        return try rows.map(ActivityStatements.decode)
    }

    /// The activities of a player's phones, the newest registration first.
    public func activities(of playerID: PlayerID, limit: Int) async throws -> [Activity] {
        let shards = Set(try await partyIDs(of: playerID).map(\.shard)).sorted()
        let rows = try await pool.query(
            PostgresQuery(ActivityStatements.newestOfPlayer, shards.map(\.column), playerID, Int64(limit))
        )
        return try rows.map(ActivityStatements.decode)
    }

    /// Every live activity of a shard: what a dispatcher loads when it takes the shard over.
    public func liveActivities(of shard: Shard) async throws -> [Activity] {
        let rows = try await pool.query(PostgresQuery(ActivityStatements.live, shard.column))
        return try rows.map(ActivityStatements.decode)
    }
}

enum ActivityStatements {
    private static let columns = """
        activity_id, adventure_id, player_id, push_token, environment, frequent_pushes, locale, generation, state,
        registered_at, token_registered_at, last_timestamp, settled_position
        """

    static let read = Statement(
        "activity.read",
        """
        SELECT \(columns) FROM activities
        WHERE shard = $1 AND adventure_id = $2 AND activity_id = ANY ($3)
        ORDER BY activity_id
        """
    )

    static let count = Statement(
        "activity.count",
        """
        SELECT count(*) FROM activities
        WHERE shard = $1 AND adventure_id = $2 AND player_id = $3 AND state = 'live'
        """
    )

    static let list = Statement(
        "activity.list",
        """
        SELECT \(columns) FROM activities
        WHERE shard = $1 AND adventure_id = $2
        ORDER BY registered_at, activity_id
        """
    )

    /// Over all shards, through an index of its own: an operator who asks has nothing else to go by, and asks rarely.
    static let named = Statement(
        "activity.named",
        """
        SELECT \(columns) FROM activities
        WHERE activity_id = $1
        ORDER BY registered_at DESC, adventure_id
        """
    )

    static let live = Statement(
        "activity.live",
        """
        SELECT \(columns) FROM activities
        WHERE shard = $1 AND state = 'live'
        ORDER BY adventure_id, activity_id
        """
    )

    static let liveOfPlayer = Statement(
        "activity.liveOfPlayer",
        """
        SELECT \(columns) FROM activities
        WHERE shard = $1 AND player_id = $2 AND state = 'live'
        ORDER BY adventure_id, activity_id
        """
    )

    static let ofPlayer = Statement(
        "activity.ofPlayer",
        """
        SELECT \(columns) FROM activities
        WHERE shard = $1 AND player_id = $2
        ORDER BY registered_at, adventure_id, activity_id
        """
    )

    static let ofParty = Statement(
        "activity.ofParty",
        """
        SELECT \(columns) FROM activities
        WHERE shard = $1
            AND adventure_id IN (SELECT a.adventure_id FROM adventures AS a WHERE a.shard = $1 AND a.party_id = $2)
        ORDER BY registered_at DESC, adventure_id, activity_id
        LIMIT $3
        """
    )

    static let newestOfPlayer = Statement(
        "activity.newestOfPlayer",
        """
        SELECT \(columns) FROM activities
        WHERE shard = ANY ($1) AND player_id = $2
        ORDER BY registered_at DESC, adventure_id, activity_id
        LIMIT $3
        """
    )

    static let upsert = Statement(
        "activity.upsert",
        """
        INSERT INTO activities
            (shard, adventure_id, activity_id, player_id, push_token, environment, frequent_pushes, locale,
             generation, state, registered_at, token_registered_at, settled_position)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (shard, adventure_id, activity_id) DO UPDATE
        SET push_token = excluded.push_token,
            environment = excluded.environment,
            generation = excluded.generation,
            state = CASE WHEN activities.state = 'dead' THEN 'live' ELSE activities.state END,
            token_registered_at = excluded.token_registered_at
        """
    )

    static let leave = Statement(
        "activity.leave",
        """
        UPDATE activities SET state = $4
        WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3 AND state = 'live'
        """
    )

    static func decode(_ row: PostgresRow) throws -> Activity {
        let (
            id, adventureID, playerID, pushToken, environment, frequent, locale, generation, state,
            registeredAt, tokenRegisteredAt, lastTimestamp, settledPosition
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
            Int64.self
        )
        return Activity(
            id: id,
            adventureID: adventureID,
            playerID: playerID,
            pushToken: pushToken,
            environment: environment,
            frequentPushesEnabled: frequent,
            locale: locale,
            generation: Int(generation),
            state: state,
            registeredAt: Timestamp(registeredAt),
            tokenRegisteredAt: Timestamp(tokenRegisteredAt),
            lastTimestamp: lastTimestamp,
            settledPosition: settledPosition
        )
    }
}
