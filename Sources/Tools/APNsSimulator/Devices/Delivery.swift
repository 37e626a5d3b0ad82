import Encodings

/// An accepted push on its way to a phone.
struct Delivery: Sendable {
    /// The activity that the push addresses.
    enum Target: Equatable, Sendable {
        /// A running activity.
        case activity(WallID<PhoneActivity>)
        /// An activity that the push is to start, with its identity.
        case start(PhoneActivity.Identity)
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
    /// The decoded payload; nil when a phone cannot decode it.
    let payload: ReceivedPayload?
}
