import Encodings

/// An accepted push on its way to a phone.
struct Delivery: Sendable {
    /// The part of the phone that the push addresses.
    enum Target: Equatable, Sendable {
        /// A running activity.
        case activity(WallID<PhoneActivity>)
        /// An activity that the push is to start, with its identity.
        case start(PhoneActivity.Identity)
        /// The Lock Screen, for a notification; nil when the phone cannot decode it.
        case notification(ReceivedNotification?, collapseID: String?)
        /// The widgets; false when the push does not say that their content has changed.
        case widgets(isContentChanged: Bool)
    }

    /// The phone's index on the wall.
    let phoneIndex: Int
    let target: Target
    let apnsID: String
    /// The number of its log entry; all deliveries of a broadcast share one entry.
    let logNumber: Int
    /// Whether it is a broadcast.
    let isBroadcast: Bool
    let acceptedAt: Timestamp
    let priority: ReceivedPush.Priority
    /// `apns-expiration` in UNIX seconds: 0 to store nothing, nil for the maximum storage time.
    let expirationEpochSeconds: Int64?
    /// The decoded payload; nil when a phone cannot decode it, and for other push types than Live Activities.
    let payload: ReceivedPayload?
}
