import Encodings
import Foundation
import HTTP2Transport

extension APNsBroadcast: APNsMessage {
    /// Returns the broadcast as a request.
    func request(_ builder: inout APNsRequestBuilder) -> HTTP2ClientRequest {
        HTTP2ClientRequest(
            method: "POST",
            path: "/4/broadcasts/apps/\(bundleID)",
            headers: [
                HTTP2Header("authorization", builder.credentials.token.authorization),
                HTTP2Header("apns-channel-id", channel.id.description, isIndexed: false),
                HTTP2Header("apns-push-type", APNsPush.PushType.liveactivity.rawValue),
                HTTP2Header("apns-priority", String(priority.rawValue)),
                HTTP2Header("apns-expiration", String(expirationEpochSeconds)),
                HTTP2Header("apns-request-id", id.lowercaseText, isIndexed: false),
            ],
            body: payload
        )
    }
}
