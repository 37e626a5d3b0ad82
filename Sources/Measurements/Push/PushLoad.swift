import Foundation
import HTTP2Transport

/// What is sent while pushes are measured: the same fields and body by every client.
struct PushLoad: Sendable {
    /// Different device tokens, so that paths differ as they do between phones.
    static let devices = 1_000
    static let bodyBytes = 600

    /// As long as a provider token: nothing that reads it checks its signature.
    private static let authorization = "bearer " + String(repeating: "eyJhbGciOiJFUzI1NiJ9", count: 12)

    /// Fields that all pushes share.
    static let sharedHeaders = [
        HTTP2Header("authorization", authorization),
        HTTP2Header("apns-push-type", "liveactivity"),
        HTTP2Header("apns-topic", "com.example.rangers.push-type.liveactivity"),
        HTTP2Header("apns-priority", "10"),
    ]

    /// Fields that belong to one push.
    static let ownHeaders = [
        HTTP2Header("apns-expiration", "1790003600", isIndexed: false),
        HTTP2Header("apns-id", "0190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9a0b", isIndexed: false),
    ]

    static let body = Array(repeating: UInt8(ascii: "x"), count: bodyBytes)

    static let paths = (0..<devices).map { device in
        let digits = String(device, radix: 16)
        return "/3/device/" + String(repeating: "a", count: 160 - digits.count) + digits
    }

    static func requests() -> [HTTP2ClientRequest] {
        let shared = HTTP2Headers(sharedHeaders)
        return paths.map { path in
            HTTP2ClientRequest(method: "POST", path: path, headers: ownHeaders, sharing: shared, body: body)
        }
    }
}
