/// Pushes to a channel ("Sending broadcast push notification requests to APNs").
extension ReceivedPush {
    /// Apple's size limit for broadcasts.
    static let maxBroadcastBytes = 5120
    private static let broadcastHeaders = [
        "apns-channel-id", "apns-expiration", "apns-priority", "apns-push-type", "apns-request-id", "authorization",
    ]

    /// Validates a broadcast; every header but `apns-request-id` is required.
    init(broadcast request: ReceivedRequest, bundleID: String) throws(RejectionReason) {
        guard request.method == "POST" else { throw .methodNotAllowed }
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 5, segments.prefix(4) == ["", "4", "broadcasts", "apps"] else { throw .badPath }
        try ReceivedRequest.check(app: segments[4], bundleID: bundleID)
        guard !request.repeats(Self.broadcastHeaders) else { throw .duplicateHeaders }
        try request.checkIdentifier()
        let channelID = try request.channelID()
        guard let pushType = request["apns-push-type"] else { throw .missingPushType }
        // Apple's table has a capital letter, its examples do not.
        guard pushType.lowercased() == "liveactivity" else { throw .invalidPushType }
        guard let priority = request["apns-priority"] else { throw .badPriority }
        guard let expiration = request["apns-expiration"] else { throw .badExpirationDate }
        self.init(
            address: .channel(channelID),
            topic: bundleID,
            priority: try Self.priority(priority, of: .liveActivity),
            expirationEpochSeconds: try Self.expiration(expiration),
            payload: try Self.payload(request.body, upTo: Self.maxBroadcastBytes)
        )
    }
}

/// The validation that all requests about channels share.
extension ReceivedRequest {
    /// Checks the app in the path; a topic's suffix is the most common mistake there.
    static func check(app: Substring, bundleID: String) throws(RejectionReason) {
        guard app == bundleID || app.hasPrefix(bundleID + ".") else { throw .topicMismatch }
        guard app == bundleID else { throw .topicDisallowed }
    }

    /// Returns the channel in `apns-channel-id`.
    func channelID() throws(RejectionReason) -> Channel.ID {
        guard let text = self["apns-channel-id"] else { throw .missingChannelID }
        guard let id = Channel.ID(base64: text) else { throw .badChannelID }
        return id
    }
}
