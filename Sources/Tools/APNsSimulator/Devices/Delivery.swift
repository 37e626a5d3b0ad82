/// A push that APNs has accepted, on its way to a phone.
struct Delivery: Sendable {
    /// What it is for.
    enum Target: Equatable, Sendable {
        /// An activity that runs.
        case activity(Identifier<PhoneActivity>)
        /// One that the push is to start, with what the system gives it.
        case start(PhoneActivity.Identity)
    }

    /// Which phone, by its index on the wall.
    let phoneIndex: Int
    let target: Target
    let apnsID: String
    /// Where the log tells of it; of a broadcast it tells there what all phones made of it.
    let logNumber: Int
    /// Whether it came over a channel.
    let isBroadcast: Bool
    let acceptedAt: Moment
    let priority: PushRequest.Priority
    /// `apns-expiration`: until when APNs may keep it, 0 for not at all, nil for as long as APNs keeps anything.
    let expirationEpochSeconds: Int64?
    /// Nil when a phone cannot read it.
    let payload: ReceivedPayload?
}
