public import Foundation

/// One request to APNs for one Live Activity.
public struct APNsPush: Hashable, Sendable {
    /// The `apns-push-type`; other types of Apple are not for this sender.
    public enum PushType: String, Hashable, Sendable {
        /// An update, an end or a start of a Live Activity; offered to token-based connections only.
        case liveactivity
    }

    /// The `apns-priority`, of which Apple names only two for Live Activities.
    public enum Priority: Int, Hashable, Sendable {
        /// When it suits the device; spends nothing of its budget.
        case low = 5
        /// At once; spends the budget that the device keeps for the activity.
        case high = 10
    }

    /// Whom it is for.
    public var deviceToken: DeviceToken
    /// `apns-topic`, whole: the app's bundle id and `.push-type.liveactivity`.
    public var topic: String
    /// Always a Live Activity's.
    public var pushType: PushType
    /// How urgent it is.
    public var priority: Priority
    /// `apns-expiration` in seconds since 1970: until when APNs may store it; 0 for one attempt.
    public var expirationEpochSeconds: Int64
    /// `apns-id`, by which the answer and Apple's logs name it.
    public var id: UUID
    /// The JSON, at most 4,096 bytes.
    ///
    /// Its `timestamp` is the caller's to set, right before sending.
    public var payload: [UInt8]
    /// Do not send it then or later: what is still waiting is never sent, and says so; nil for no such time.
    public var sendBy: ContinuousClock.Instant?

    /// The push with those properties.
    public init(
        deviceToken: DeviceToken,
        topic: String,
        pushType: PushType = .liveactivity,
        priority: Priority,
        expirationEpochSeconds: Int64,
        id: UUID,
        payload: [UInt8],
        sendBy: ContinuousClock.Instant? = nil
    ) {
        self.deviceToken = deviceToken
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expirationEpochSeconds = expirationEpochSeconds
        self.id = id
        self.payload = payload
        self.sendBy = sendBy
    }
}
