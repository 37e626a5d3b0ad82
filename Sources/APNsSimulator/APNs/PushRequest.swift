import Foundation
import HTTP2Transport

/// What APNs reads of one request to push: its headers and body, checked, but not yet its token and its sender.
struct PushRequest: Equatable, Sendable {
    /// Apple's limit for every push but VoIP ("Sending notification requests to APNs").
    static let maximumPayloadBytes = 4096
    /// Apple's limit for `apns-collapse-id`.
    static let maximumCollapseIDBytes = 64
    /// The headers that APNs reads; one of them twice is refused.
    static let singleHeaders = [
        "apns-collapse-id", "apns-expiration", "apns-id", "apns-priority", "apns-push-type", "apns-topic",
        "authorization",
    ]
    /// What a Live Activity's topic has behind the app's bundle id.
    static let topicSuffix = ".push-type.liveactivity"

    /// The two priorities that Apple names for Live Activities.
    enum Priority: Int, Codable, Sendable {
        /// Delivered when it suits the phone; free.
        case low = 5
        /// Delivered at once; spends the phone's budget.
        case high = 10
    }

    /// To whom.
    let token: PushToken
    /// To which part of which app.
    let topic: String
    /// High when the request does not say, as with Apple.
    let priority: Priority
    /// `apns-expiration` in UNIX seconds; nil when the request does not say.
    let expirationEpochSeconds: Int64?
    /// The `aps` payload as it came.
    let payload: [UInt8]
}

extension PushRequest {
    /// Checks method, path, headers and size, in that order, and stops at the first fault.
    ///
    /// Apple does not document which fault it tells of when there are several. `bundleID` is the app whose activities
    /// this APNs knows.
    init(
        method: String,
        path: String,
        headers: HTTP2Headers,
        payload: [UInt8],
        bundleID: String
    ) throws(APNsRefusal) {
        guard method == "POST" else { throw .methodNotAllowed }
        token = try Self.token(in: path)
        let isRepeated = Self.singleHeaders.contains { name in headers.count { $0.name == name } > 1 }
        guard !isRepeated else { throw .duplicateHeaders }
        topic = try Self.topic(headers["apns-topic"], bundleID: bundleID)
        guard headers["apns-push-type"] == "liveactivity" else { throw .invalidPushType }
        priority = try Self.priority(headers["apns-priority"])
        expirationEpochSeconds = try Self.expiration(headers["apns-expiration"])
        if let id = headers["apns-id"], UUID(uuidString: id) == nil { throw .badMessageID }
        guard (headers["apns-collapse-id"] ?? "").utf8.count <= Self.maximumCollapseIDBytes else {
            throw .badCollapseID
        }
        guard !payload.isEmpty else { throw .payloadEmpty }
        guard payload.count <= Self.maximumPayloadBytes else { throw .payloadTooLarge }
        self.payload = payload
    }

    private static func token(in path: String) throws(APNsRefusal) -> PushToken {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 3, segments.prefix(3) == ["", "3", "device"], segments.count <= 4 else {
            throw .badPath
        }
        guard segments.count == 4, !segments[3].isEmpty else { throw .missingDeviceToken }
        guard let token = PushToken(hexadecimal: String(segments[3])) else { throw .badDeviceToken }
        return token
    }

    /// A topic of this app without the suffix is the commonest mistake, so it gets the answer that Apple gives to it.
    private static func topic(_ topic: String?, bundleID: String) throws(APNsRefusal) -> String {
        guard let topic else { throw .missingTopic }
        guard topic.contains("."), topic.allSatisfy({ $0.isASCII && !$0.isWhitespace }) else { throw .badTopic }
        guard topic == bundleID || topic.hasPrefix(bundleID + ".") else { throw .topicDisallowed }
        guard topic == bundleID + topicSuffix else { throw .deviceTokenNotForTopic }
        return topic
    }

    /// `apns-priority`, or what stands for it.
    static func priority(_ value: String?) throws(APNsRefusal) -> Priority {
        guard let value else { return .high }
        guard let number = Int(value), let priority = Priority(rawValue: number) else { throw .badPriority }
        return priority
    }

    /// `apns-expiration`.
    static func expiration(_ value: String?) throws(APNsRefusal) -> Int64? {
        guard let value else { return nil }
        guard let seconds = Int64(value), seconds >= 0 else { throw .badExpirationDate }
        return seconds
    }
}
