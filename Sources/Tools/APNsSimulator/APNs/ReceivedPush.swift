/// A validated request to push.
///
/// Neither its address nor its sender has been checked yet.
struct ReceivedPush: Equatable, Sendable {
    /// The destination.
    enum Address: Equatable, Sendable {
        /// The token of an activity, or one of the app's tokens.
        case device(PushToken)
        /// All followers of a channel.
        case channel(Channel.ID)
    }

    /// The priorities that Apple documents; ``PushType/priorities`` has those of each push type.
    enum Priority: Int, Codable, Sendable {
        /// Delivered without waking the phone.
        case lowest = 1
        /// Delivered at a time that depends on the phone's power state; costs no budget.
        case low = 5
        /// Delivered immediately; costs budget.
        case high = 10
    }

    let address: Address
    /// The `apns-topic`; for a broadcast, the bundle identifier.
    let topic: String
    /// The `apns-priority`; 10 by default, as with Apple.
    let priority: Priority
    /// `apns-expiration` in UNIX seconds: 0 to store nothing, nil when the header is missing.
    let expirationEpochSeconds: Int64?
    /// The body as received.
    let payload: [UInt8]
    /// The `apns-push-type`.
    var pushType = PushType.liveActivity
    /// The `apns-collapse-id`: a notification replaces an earlier one with the same identifier.
    var collapseID: String?

    /// The token; nil for a broadcast.
    var token: PushToken? {
        switch address {
        case .device(let token): token
        case .channel: nil
        }
    }

    /// The channel of a broadcast; nil otherwise.
    var channelID: Channel.ID? {
        switch address {
        case .device: nil
        case .channel(let id): id
        }
    }
}

extension ReceivedPush {
    /// Validates method, path, headers and size, in this order; the first error is thrown.
    ///
    /// Apple does not document which of several errors is reported. Does not look up the address.
    /// - Parameters:
    ///   - request: the request as received.
    ///   - bundleID: the app whose tokens this APNs knows.
    /// - Throws: the rejection to answer with.
    init(_ request: ReceivedRequest, bundleID: String) throws(RejectionReason) {
        if request.isBroadcast {
            try self.init(broadcast: request, bundleID: bundleID)
        } else {
            try self.init(device: request, bundleID: bundleID)
        }
    }

    /// Parses `apns-priority`, whose default is 10, and checks that the push type allows it.
    static func priority(_ value: String?, of pushType: PushType) throws(RejectionReason) -> Priority {
        let text = value ?? "10"
        // Apple accepts neither a sign nor leading zeros.
        guard let number = Int(text), String(number) == text, let priority = Priority(rawValue: number),
            pushType.priorities.contains(priority)
        else {
            throw .badPriority
        }
        return priority
    }

    /// Parses `apns-expiration`.
    static func expiration(_ value: String) throws(RejectionReason) -> Int64 {
        guard let seconds = Int64(value), seconds >= 0 else { throw .badExpirationDate }
        return seconds
    }

    /// Checks the size of the body.
    static func payload(_ body: [UInt8], upTo maxBytes: Int) throws(RejectionReason) -> [UInt8] {
        guard !body.isEmpty else { throw .payloadEmpty }
        guard body.count <= maxBytes else { throw .payloadTooLarge }
        return body
    }
}
