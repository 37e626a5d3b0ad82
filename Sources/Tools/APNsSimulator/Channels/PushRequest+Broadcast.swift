/// Pushes to a channel ("Sending broadcast push notification requests to APNs").
extension PushRequest {
    /// Apple's limit for broadcasts.
    static let maximumBroadcastBytes = 5120
    private static let broadcastHeaders = [
        "apns-channel-id", "apns-expiration", "apns-priority", "apns-push-type", "apns-request-id", "authorization",
    ]

    /// Nothing but `apns-request-id` may be left out.
    init(broadcast request: ReceivedRequest, bundleID: String) throws(APNsRefusal) {
        guard request.method == "POST" else { throw .methodNotAllowed }
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 5, segments.prefix(4) == ["", "4", "broadcasts", "apps"] else { throw .badPath }
        try ReceivedRequest.check(app: segments[4], bundleID: bundleID)
        guard !request.repeats(Self.broadcastHeaders) else { throw .duplicateHeaders }
        try request.checkIdentifier()
        let channelID = try request.channelID()
        guard let pushType = request["apns-push-type"] else { throw .missingPushType }
        // Apple's table has a capital letter, its examples have none.
        guard pushType.lowercased() == "liveactivity" else { throw .invalidPushType }
        guard let priority = request["apns-priority"] else { throw .badPriority }
        guard let expiration = request["apns-expiration"] else { throw .badExpirationDate }
        self.init(
            address: .channel(channelID),
            topic: bundleID,
            priority: try Self.priority(priority),
            expirationEpochSeconds: try Self.expiration(expiration),
            payload: try Self.payload(request.body, upTo: Self.maximumBroadcastBytes)
        )
    }
}

/// What requests about channels have in common.
extension ReceivedRequest {
    /// The app of a path; a suffix, as topics have it, is the commonest mistake.
    static func check(app: Substring, bundleID: String) throws(APNsRefusal) {
        guard app == bundleID || app.hasPrefix(bundleID + ".") else { throw .topicMismatch }
        guard app == bundleID else { throw .topicDisallowed }
    }

    /// `apns-channel-id`.
    func channelID() throws(APNsRefusal) -> Channel.ID {
        guard let text = self["apns-channel-id"] else { throw .missingChannelID }
        guard let id = Channel.ID(base64: text) else { throw .badChannelID }
        return id
    }
}
