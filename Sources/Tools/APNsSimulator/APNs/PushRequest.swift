/// What APNs reads of one request to push: its headers and body, checked, but not yet its address and its sender.
struct PushRequest: Equatable, Sendable {
    /// To whom.
    enum Address: Equatable, Sendable {
        /// One activity, or one phone that is to start one.
        case device(PushToken)
        /// Everybody who follows the channel.
        case channel(Channel.ID)
    }

    /// The two priorities that Apple names for Live Activities.
    enum Priority: Int, Codable, Sendable {
        /// Delivered when it suits the phone; free.
        case low = 5
        /// Delivered at once; spends the phone's budget.
        case high = 10
    }

    let address: Address
    /// To which part of which app; of a broadcast it is the app itself.
    let topic: String
    /// High when the request does not say, as with Apple.
    let priority: Priority
    /// `apns-expiration` in UNIX seconds: 0 when APNs is to keep nothing, nil when the request does not say.
    let expirationEpochSeconds: Int64?
    /// The `aps` payload as it came.
    let payload: [UInt8]

    /// The token that it is for; nil for a broadcast.
    var token: PushToken? {
        switch address {
        case .device(let token): token
        case .channel: nil
        }
    }

    /// The channel that it is for, if it is a broadcast.
    var channelID: Channel.ID? {
        switch address {
        case .device: nil
        case .channel(let id): id
        }
    }
}

extension PushRequest {
    /// Checks method, path, headers and size, in that order, and stops at the first fault.
    ///
    /// Apple does not document which fault it tells of when there are several. `bundleID` is the app whose activities
    /// this APNs knows. Whether the address leads anywhere is not looked at.
    init(_ request: ReceivedRequest, bundleID: String) throws(APNsRefusal) {
        if request.isBroadcast {
            try self.init(broadcast: request, bundleID: bundleID)
        } else {
            try self.init(device: request, bundleID: bundleID)
        }
    }

    /// `apns-priority`.
    static func priority(_ value: String) throws(APNsRefusal) -> Priority {
        // Written as Apple does: without a sign or zeros in front.
        guard let number = Int(value), String(number) == value, let priority = Priority(rawValue: number) else {
            throw .badPriority
        }
        return priority
    }

    /// `apns-expiration`.
    static func expiration(_ value: String) throws(APNsRefusal) -> Int64 {
        guard let seconds = Int64(value), seconds >= 0 else { throw .badExpirationDate }
        return seconds
    }

    /// The body.
    static func payload(_ body: [UInt8], upTo maximumBytes: Int) throws(APNsRefusal) -> [UInt8] {
        guard !body.isEmpty else { throw .payloadEmpty }
        guard body.count <= maximumBytes else { throw .payloadTooLarge }
        return body
    }
}
