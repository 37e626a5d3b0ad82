public import Foundation

/// A push to one Live Activity or to the app's widgets, or an ordinary alert to one device.
public struct APNsPush: Hashable, Sendable {
    /// The `apns-push-type`; this client does not support Apple's other types.
    public enum PushType: String, Hashable, Sendable {
        /// An update, end or start of a Live Activity; requires token-based authentication.
        case liveactivity
        /// An ordinary alert, whose topic is the bundle identifier itself.
        case alert
        /// A reload of the app's widgets, with priority 5.
        case widgets
    }

    /// The `apns-priority`; Apple documents two values for Live Activities, and more for other pushes.
    public enum Priority: Int, Hashable, Sendable {
        /// Delivery at a convenient time for the device, without using its budget.
        case low = 5
        /// Immediate delivery, which uses the device's budget for the activity.
        case high = 10
    }

    /// The token of the activity or of the widgets, or of the device for an ordinary alert.
    public var deviceToken: DeviceToken
    /// The complete `apns-topic`: the app's bundle identifier, and for all but ordinary alerts `.push-type.` and the push type.
    public var topic: String
    /// The `apns-push-type`.
    public var pushType: PushType
    /// The priority.
    public var priority: Priority
    /// `apns-expiration` in seconds since 1970, until which APNs may store the push; 0 for a single attempt.
    public var expirationEpochSeconds: Int64
    /// `apns-id`, the identifier in the response and in Apple's logs.
    public var id: UUID
    /// `apns-collapse-id`, at most 64 bytes: an ordinary alert replaces one with the same value on the phone; nil for none.
    public var collapseID: String?
    /// The JSON payload, at most 4,096 bytes.
    ///
    /// The caller sets its `timestamp` right before sending.
    public var payload: [UInt8]
    /// The time from which the push must not be sent; nil for none.
    ///
    /// A push that is still waiting at that time fails with ``APNsFailure/tooLate``.
    public var sendBy: ContinuousClock.Instant?

    /// Creates a push.
    public init(
        deviceToken: DeviceToken,
        topic: String,
        pushType: PushType = .liveactivity,
        priority: Priority,
        expirationEpochSeconds: Int64,
        id: UUID,
        collapseID: String? = nil,
        payload: [UInt8],
        sendBy: ContinuousClock.Instant? = nil
    ) {
        self.deviceToken = deviceToken
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expirationEpochSeconds = expirationEpochSeconds
        self.id = id
        self.collapseID = collapseID
        self.payload = payload
        self.sendBy = sendBy
    }
}
