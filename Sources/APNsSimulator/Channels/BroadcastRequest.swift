import Foundation
import HTTP2Transport

/// What APNs reads of one request to publish to a channel ("Sending broadcast push notification requests to APNs").
struct BroadcastRequest: Equatable, Sendable {
    /// What the path of every such request begins with; the app's bundle identifier follows, without a suffix.
    static let pathPrefix = "/4/broadcasts/"
    /// Apple's limit for broadcasts.
    static let maximumPayloadBytes = 5120
    private static let singleHeaders = [
        "apns-channel-id", "apns-expiration", "apns-priority", "apns-push-type", "apns-request-id", "authorization",
    ]

    /// Where to.
    let channelID: Channel.ID
    let priority: PushRequest.Priority
    /// In UNIX seconds; 0 when APNs is to keep nothing.
    let expirationEpochSeconds: Int64
    /// The `aps` payload as it came.
    let payload: [UInt8]

    /// Checks method, path, headers and size, in that order, and stops at the first fault.
    ///
    /// Nothing but `apns-request-id` may be left out. Whether there is such a channel is not looked at.
    init(
        method: String,
        path: String,
        headers: HTTP2Headers,
        payload: [UInt8],
        bundleID: String
    ) throws(APNsRefusal) {
        guard method == "POST" else { throw .methodNotAllowed }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 5, segments.prefix(4) == ["", "4", "broadcasts", "apps"] else { throw .badPath }
        try Self.check(app: segments[4], bundleID: bundleID)
        let isRepeated = Self.singleHeaders.contains { name in headers.count { $0.name == name } > 1 }
        guard !isRepeated else { throw .duplicateHeaders }
        try Self.check(requestID: headers["apns-request-id"])
        channelID = try Self.channelID(headers["apns-channel-id"])
        guard let pushType = headers["apns-push-type"] else { throw .missingPushType }
        // Apple's table has a capital letter, its examples have none.
        guard pushType.lowercased() == "liveactivity" else { throw .invalidPushType }
        guard let priority = headers["apns-priority"] else { throw .badPriority }
        self.priority = try PushRequest.priority(priority)
        guard let expiration = try PushRequest.expiration(headers["apns-expiration"]) else { throw .badExpirationDate }
        expirationEpochSeconds = expiration
        guard !payload.isEmpty else { throw .payloadEmpty }
        guard payload.count <= Self.maximumPayloadBytes else { throw .payloadTooLarge }
        self.payload = payload
    }

    /// The app of a path; a suffix, as topics have it, is the commonest mistake.
    static func check(app: Substring, bundleID: String) throws(APNsRefusal) {
        guard app == bundleID || app.hasPrefix(bundleID + ".") else { throw .topicMismatch }
        guard app == bundleID else { throw .topicDisallowed }
    }

    /// `apns-request-id`, which may be left out.
    static func check(requestID: String?) throws(APNsRefusal) {
        if let requestID, UUID(uuidString: requestID) == nil { throw .badMessageID }
    }

    /// `apns-channel-id`.
    static func channelID(_ text: String?) throws(APNsRefusal) -> Channel.ID {
        guard let text else { throw .missingChannelID }
        guard let id = Channel.ID(base64: text) else { throw .badChannelID }
        return id
    }
}
