public import Encodings
public import GameCore

/// An activity that the server started on a device by push.
public struct PushToStart: Hashable, Sendable {
    /// What an activity shows.
    public enum Subject: Hashable, Sendable {
        /// The adventure of a party. The activity registers a push token.
        case adventure(AdventureID, PartyID)
        /// A raid. The activity is on the raid's channel and registers nothing.
        case raid(RaidID)
    }

    /// What the activity shows.
    public let subject: Subject
    /// When the start was claimed.
    public let at: Timestamp

    /// Creates a start.
    public init(_ subject: Subject, at: Timestamp) {
        self.subject = subject
        self.at = at
    }

    /// The adventure that the activity shows; nil for a raid's.
    public var adventureID: AdventureID? {
        guard case .adventure(let id, _) = subject else { return nil }
        return id
    }

    /// The party of the adventure; nil for a raid's activity.
    public var partyID: PartyID? {
        guard case .adventure(_, let id) = subject else { return nil }
        return id
    }

    /// The raid that the activity shows; nil for an adventure's.
    public var raidID: RaidID? {
        guard case .raid(let id) = subject else { return nil }
        return id
    }
}

/// A phone or tablet of a player, as its app has described it.
public struct Device: Hashable, Sendable {
    /// The device's identifier, chosen by the app.
    public let id: DeviceID
    /// The player who owns the device.
    public let playerID: PlayerID
    /// The APNs environment of its tokens.
    public let environment: PushEnvironment
    /// The device's language (BCP 47).
    public let locale: String?
    /// The build of the app.
    public let appBuild: String?
    /// ActivityKit's `areActivitiesEnabled`: no activity is started on a device without it.
    public let liveActivitiesEnabled: Bool
    /// ActivityKit's `frequentPushesEnabled`.
    public let frequentPushesEnabled: Bool
    /// Whether activities of raids are started on the device: it has iOS 18, and its player wants them.
    public let followsRaids: Bool
    /// The bytes of the push-to-start token; nil without one.
    public let pushToStartToken: [UInt8]?
    /// The bytes of the token for ordinary alerts; nil without one.
    public let alertToken: [UInt8]?
    /// The bytes of the token that reloads the app's widgets; nil without one.
    public let widgetToken: [UInt8]?
    /// Which alerts ring on the device.
    public let alertPreferences: AlertPreferences
    /// The activities that were started by push within a day, oldest first.
    public let starts: [PushToStart]
    /// The ordinary alerts that were claimed within an hour, oldest first.
    public let sentAlerts: [SentAlert]
    /// When the app registered the device first.
    public let registeredAt: Timestamp
    /// When the app described the device last, to a day, or changed its description.
    public var updatedAt: Timestamp
    /// The version of the row, raised by each change.
    public let version: Int64

    /// Creates a device.
    public init(
        id: DeviceID,
        playerID: PlayerID,
        environment: PushEnvironment,
        locale: String? = nil,
        appBuild: String? = nil,
        liveActivitiesEnabled: Bool,
        frequentPushesEnabled: Bool,
        followsRaids: Bool = false,
        pushToStartToken: [UInt8]? = nil,
        alertToken: [UInt8]? = nil,
        widgetToken: [UInt8]? = nil,
        alertPreferences: AlertPreferences = AlertPreferences(),
        starts: [PushToStart] = [],
        sentAlerts: [SentAlert] = [],
        registeredAt: Timestamp,
        updatedAt: Timestamp,
        version: Int64 = 1
    ) {
        self.id = id
        self.playerID = playerID
        self.environment = environment
        self.locale = locale
        self.appBuild = appBuild
        self.liveActivitiesEnabled = liveActivitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.followsRaids = followsRaids
        self.pushToStartToken = pushToStartToken
        self.alertToken = alertToken
        self.widgetToken = widgetToken
        self.alertPreferences = alertPreferences
        self.starts = starts
        self.sentAlerts = sentAlerts
        self.registeredAt = registeredAt
        self.updatedAt = updatedAt
        self.version = version
    }
}
