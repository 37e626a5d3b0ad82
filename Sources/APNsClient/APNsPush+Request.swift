import Foundation
import HTTP2Transport

extension APNsPush: APNsMessage {
    /// The push as a request.
    ///
    /// What differs from push to push stays out of the peer's HPACK table. `authorization` stays out of it too:
    /// nghttp2 never indexes that one.
    func request(_ token: ProviderToken) -> HTTP2ClientRequest {
        HTTP2ClientRequest(
            method: "POST",
            path: "/3/device/\(deviceToken.hex)",
            headers: [
                HTTP2Header("authorization", token.authorization),
                HTTP2Header("apns-push-type", pushType.rawValue),
                HTTP2Header("apns-topic", topic),
                HTTP2Header("apns-priority", String(priority.rawValue)),
                HTTP2Header("apns-expiration", String(expirationEpochSeconds), isIndexed: false),
                HTTP2Header("apns-id", id.uuidString.lowercased(), isIndexed: false),
            ],
            body: payload
        )
    }
}
