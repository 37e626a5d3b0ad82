import Foundation
import HTTP2Transport

extension APNsPush: APNsMessage {
    /// The push as a request.
    ///
    /// What differs from push to push stays out of the peer's HPACK table. `authorization` stays out of it too:
    /// nghttp2 never indexes that one.
    func request(_ token: ProviderToken) -> HTTP2ClientRequest {
        var shared = SharedPushHeaders(token)
        return request(sharing: shared.headers(for: self))
    }

    static func requests(for pushes: [APNsPush], _ token: ProviderToken) -> [HTTP2ClientRequest] {
        var shared = SharedPushHeaders(token)
        return pushes.map { $0.request(sharing: shared.headers(for: $0)) }
    }

    private func request(sharing shared: HTTP2Headers) -> HTTP2ClientRequest {
        HTTP2ClientRequest(
            method: "POST",
            path: "/3/device/\(deviceToken.hex)",
            headers: [
                HTTP2Header("apns-expiration", String(expirationEpochSeconds), isIndexed: false),
                HTTP2Header("apns-id", id.uuidString.lowercased(), isIndexed: false),
            ],
            sharing: shared,
            body: payload,
            sendBy: sendBy
        )
    }
}
