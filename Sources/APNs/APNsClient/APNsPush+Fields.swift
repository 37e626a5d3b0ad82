import Encodings
import HTTP2Transport

extension APNsPush {
    /// The placeholder for a secret in a displayed request.
    public static let redacted = "<redacted>"

    /// The header fields of the request for display, in order, with the provider token redacted.
    public var redactedHeaders: [(name: String, value: String)] {
        headers(authorization: "bearer \(Self.redacted)")
    }

    /// Returns the header fields of the request, in order.
    package func headers(authorization: String) -> [(name: String, value: String)] {
        var own = [(Self.expirationName, String(expirationEpochSeconds)), (Self.idName, id.lowercaseText)]
        if let collapseID { own.append((Self.collapseIDName, collapseID)) }
        return own + sharedFields(authorization: authorization).map { ($0.name, $0.value) }
    }

    /// The path of the request, which contains the device token, a secret.
    package var path: String { "\(Self.pathPrefix)\(deviceToken.hex)" }

    static let pathPrefix = "/3/device/"
    static let expirationName = "apns-expiration"
    static let idName = "apns-id"
    static let collapseIDName = "apns-collapse-id"

    /// Returns the header fields that all pushes of one topic, type and priority share.
    func sharedFields(authorization: String) -> [HTTP2Header] {
        [
            HTTP2Header("authorization", authorization),
            HTTP2Header("apns-push-type", pushType.rawValue),
            HTTP2Header("apns-topic", topic),
            HTTP2Header("apns-priority", String(priority.rawValue)),
        ]
    }
}
