import HTTP2Transport

extension APNsPush {
    /// What stands for a secret where a request is shown.
    public static let redacted = "<redacted>"

    /// The request's header fields as they are shown to people: in their order, without the provider token.
    public var shownHeaders: [(name: String, value: String)] {
        (ownFields + sharedFields(authorization: "bearer \(Self.redacted)")).map { ($0.name, $0.value) }
    }

    /// Where the request goes at its host; the device token in it is a secret.
    var path: String { "/3/device/\(deviceToken.hex)" }

    /// What differs from push to push.
    var ownFields: [HTTP2Header] {
        [
            HTTP2Header("apns-expiration", String(expirationEpochSeconds)),
            HTTP2Header("apns-id", id.lowercasedText, isIndexed: false),
        ]
    }

    /// What pushes of one topic, type and priority have in common.
    func sharedFields(authorization: String) -> [HTTP2Header] {
        [
            HTTP2Header("authorization", authorization),
            HTTP2Header("apns-push-type", pushType.rawValue),
            HTTP2Header("apns-topic", topic),
            HTTP2Header("apns-priority", String(priority.rawValue)),
        ]
    }
}
