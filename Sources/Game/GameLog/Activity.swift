public import Encodings
public import GameCore

/// A Live Activity on one device.
public struct Activity: Sendable {
    /// The state of an activity.
    ///
    /// Only live activities receive pushes.
    public enum State: String, Sendable, CaseIterable {
        /// The activity receives pushes.
        case live
        /// APNs has accepted the `end` event.
        case ended
        /// The app reported that the activity ended or was dismissed.
        case released
        /// APNs has permanently rejected the push token.
        case dead
    }

    /// The activity's identifier, chosen by the app.
    public let id: ActivityID
    /// The adventure that the activity shows.
    public let adventureID: AdventureID
    /// The player who owns the device.
    public let playerID: PlayerID
    /// The device that shows the activity.
    public let deviceID: DeviceID
    /// The bytes of the ActivityKit push token.
    public var pushToken: [UInt8]
    /// The APNs environment of the token.
    public var environment: PushEnvironment
    /// ActivityKit's `frequentPushesEnabled`, fixed for the lifetime of the activity.
    public let frequentPushesEnabled: Bool
    /// The device's language (BCP 47), for support.
    ///
    /// The device localises all texts itself.
    public var locale: String?
    /// The token's generation, starting at 1 and incremented with each new token.
    public var generation: Int
    /// The state of the activity.
    public var state: State
    /// When a scheduled activity (iOS 26) starts or has started on the device; nil if it started before its registration.
    public var startsAt: Timestamp?
    /// When the app registered the activity.
    public let registeredAt: Timestamp
    /// When the app registered the current token.
    public var tokenRegisteredAt: Timestamp
    /// The `timestamp` of the newest push, in seconds since 1970; zero before the first push.
    public var lastTimestamp: Int64
    /// The moment up to which the activity is acknowledged: no push is pending for what happened until then.
    public var acknowledgedAt: Timestamp
    /// The alerts after that moment that APNs has accepted, as PushDispatch encodes them; mostly empty.
    public var acceptedAlerts: [UInt8]
    /// When the phone's budget of pushes at priority 10 is full again, as far as its shard has recorded it; nil for a full
    /// one.
    public var budgetFullAt: Timestamp?
    /// Which alerts ring on the device.
    public var alertPreferences: AlertPreferences

    /// The maximum number of live activities of an app that iOS shows on a device (according to developers).
    public static let maxLivePerDevice = 5

    /// When the activity starts or has started on the device, from which its maximum age counts.
    public var startedAt: Timestamp { startsAt ?? registeredAt }

    /// Creates a newly registered activity.
    public init(
        id: ActivityID,
        adventureID: AdventureID,
        playerID: PlayerID,
        deviceID: DeviceID,
        pushToken: [UInt8],
        environment: PushEnvironment,
        frequentPushesEnabled: Bool,
        locale: String?,
        registeredAt: Timestamp,
        startsAt: Timestamp? = nil,
        alertPreferences: AlertPreferences = AlertPreferences()
    ) {
        self.init(
            id: id,
            adventureID: adventureID,
            playerID: playerID,
            deviceID: deviceID,
            pushToken: pushToken,
            environment: environment,
            frequentPushesEnabled: frequentPushesEnabled,
            locale: locale,
            generation: 1,
            state: .live,
            registeredAt: registeredAt,
            tokenRegisteredAt: registeredAt,
            lastTimestamp: 0,
            acknowledgedAt: Timestamp(epochSeconds: 0),
            acceptedAlerts: [],
            startsAt: startsAt,
            alertPreferences: alertPreferences
        )
    }

    package init(
        id: ActivityID,
        adventureID: AdventureID,
        playerID: PlayerID,
        deviceID: DeviceID,
        pushToken: [UInt8],
        environment: PushEnvironment,
        frequentPushesEnabled: Bool,
        locale: String?,
        generation: Int,
        state: State,
        registeredAt: Timestamp,
        tokenRegisteredAt: Timestamp,
        lastTimestamp: Int64,
        acknowledgedAt: Timestamp,
        acceptedAlerts: [UInt8],
        startsAt: Timestamp? = nil,
        budgetFullAt: Timestamp? = nil,
        alertPreferences: AlertPreferences = AlertPreferences()
    ) {
        self.id = id
        self.adventureID = adventureID
        self.playerID = playerID
        self.deviceID = deviceID
        self.pushToken = pushToken
        self.environment = environment
        self.frequentPushesEnabled = frequentPushesEnabled
        self.locale = locale
        self.generation = generation
        self.state = state
        self.startsAt = startsAt
        self.registeredAt = registeredAt
        self.tokenRegisteredAt = tokenRegisteredAt
        self.lastTimestamp = lastTimestamp
        self.acknowledgedAt = acknowledgedAt
        self.acceptedAlerts = acceptedAlerts
        self.budgetFullAt = budgetFullAt
        self.alertPreferences = alertPreferences
    }
}

/// The delivery state of one activity, to be written to its row.
public struct ActivityCheckpoint: Sendable {
    /// The adventure that the activity shows.
    public let adventureID: AdventureID
    /// The activity.
    public let activityID: ActivityID
    /// The generation of the token that the push was sent to.
    public let generation: Int
    /// The `timestamp` of the newest push, in seconds since 1970.
    public let lastTimestamp: Int64
    /// The moment up to which the activity is acknowledged.
    public let acknowledgedAt: Timestamp
    /// The alerts after that moment that APNs has accepted, as PushDispatch encodes them.
    public let acceptedAlerts: [UInt8]
    /// When the phone's budget of pushes at priority 10 is full again.
    public let budgetFullAt: Timestamp
    /// The resulting state: `live`, `ended` or `dead`.
    public let state: Activity.State

    /// Creates a checkpoint.
    public init(
        adventureID: AdventureID,
        activityID: ActivityID,
        generation: Int,
        lastTimestamp: Int64,
        acknowledgedAt: Timestamp,
        acceptedAlerts: [UInt8],
        budgetFullAt: Timestamp = Timestamp(epochSeconds: 0),
        state: Activity.State
    ) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.generation = generation
        self.lastTimestamp = lastTimestamp
        self.acknowledgedAt = acknowledgedAt
        self.acceptedAlerts = acceptedAlerts
        self.budgetFullAt = budgetFullAt
        self.state = state
    }
}
