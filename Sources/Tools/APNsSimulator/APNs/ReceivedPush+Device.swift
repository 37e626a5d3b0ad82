/// Pushes to one device ("Sending notification requests to APNs").
extension ReceivedPush {
    /// Apple's size limit for all pushes except VoIP.
    static let maxPayloadBytes = 4096
    /// Apple's limit for `apns-collapse-id`.
    static let maxCollapseIDBytes = 64

    private static let path = "/3/device"
    /// The headers that must not appear twice.
    private static let singleHeaders = [
        "apns-collapse-id", "apns-expiration", "apns-id", "apns-priority", "apns-push-type", "apns-topic",
        "authorization",
    ]

    init(device request: ReceivedRequest, bundleID: String) throws(RejectionReason) {
        guard request.method == "POST" else { throw .methodNotAllowed }
        let token = try Self.token(in: request.path)
        guard !request.repeats(Self.singleHeaders) else { throw .duplicateHeaders }
        let topic = try Self.topic(request["apns-topic"], bundleID: bundleID)
        guard let pushType = request["apns-push-type"].flatMap(PushType.init(rawValue:)) else { throw .invalidPushType }
        guard topic == bundleID + pushType.topicSuffix else { throw .deviceTokenNotForTopic }
        let priority = try Self.priority(request["apns-priority"], of: pushType)
        let expiration = try request["apns-expiration"].map(Self.expiration)
        try request.checkIdentifier()
        let collapseID = request["apns-collapse-id"]
        guard (collapseID ?? "").utf8.count <= Self.maxCollapseIDBytes else { throw .badCollapseID }
        self.init(
            address: .device(token),
            topic: topic,
            priority: priority,
            expirationEpochSeconds: expiration,
            payload: try Self.payload(request.body, upTo: Self.maxPayloadBytes),
            pushType: pushType,
            collapseID: collapseID
        )
    }

    private static func token(in path: String) throws(RejectionReason) -> PushToken {
        guard path.hasPrefix(Self.path) else { throw .badPath }
        let rest = path.utf8.dropFirst(Self.path.utf8.count)
        guard let slash = rest.first else { throw .missingDeviceToken }
        let digits = rest.dropFirst()
        guard slash == UInt8(ascii: "/"), !digits.contains(UInt8(ascii: "/")) else { throw .badPath }
        guard !digits.isEmpty else { throw .missingDeviceToken }
        guard let token = PushToken(hexadecimal: Substring(digits)) else { throw .badDeviceToken }
        return token
    }

    /// Validates that the topic is one of the app's; the push type decides which.
    private static func topic(_ topic: String?, bundleID: String) throws(RejectionReason) -> String {
        guard let topic else { throw .missingTopic }
        guard topic.utf8.contains(UInt8(ascii: ".")), topic.utf8.allSatisfy(\.isPrintableASCII) else { throw .badTopic }
        guard topic == bundleID || topic.hasPrefix(bundleID + ".") else { throw .topicDisallowed }
        return topic
    }
}

extension UInt8 {
    /// Whether the byte is a visible ASCII character.
    fileprivate var isPrintableASCII: Bool { (0x21...0x7e).contains(self) }
}
