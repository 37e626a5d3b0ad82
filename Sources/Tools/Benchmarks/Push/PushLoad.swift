import APNsClient
import Encodings
import Foundation
import HTTP2Transport

/// What is sent while pushes are measured: the same fields and body by every client.
struct PushLoad: Sendable {
    /// Different device tokens, so that paths differ as they do between phones.
    static let devices = 1_000
    static let bodyBytes = 600

    /// As long as a provider token: nothing that reads it checks its signature.
    private static let authorization = "bearer " + String(repeating: "eyJhbGciOiJFUzI1NiJ9", count: 12)

    private static let pathPrefix = "/3/device/"
    private static let topic = "com.example.rangers.push-type.liveactivity"
    private static let expiration: Int64 = 1_790_003_600
    private static let id = UUID()

    /// Fields that all pushes share.
    static let sharedHeaders = [
        HTTP2Header("authorization", authorization),
        HTTP2Header("apns-push-type", "liveactivity"),
        HTTP2Header("apns-topic", topic),
        HTTP2Header("apns-priority", "10"),
    ]

    /// Fields that belong to one push.
    static let ownHeaders = [
        HTTP2Header("apns-expiration", String(expiration)),
        HTTP2Header("apns-id", id.lowercaseText, isIndexed: false),
    ]

    static let body = Array(repeating: UInt8(ascii: "x"), count: bodyBytes)

    static let paths = (0..<devices).map { device in
        let digits = String(device, radix: 16)
        return pathPrefix + String(repeating: "a", count: 160 - digits.count) + digits
    }

    /// For the client of APNs, which makes the same fields of it, with a token of its own.
    static func pushes() throws -> [APNsPush] {
        try paths.map { path in
            guard let token = DeviceToken(hex: String(path.dropFirst(pathPrefix.count))) else {
                throw MeasurementFailure("\(path) has no device token")
            }
            return APNsPush(
                deviceToken: token,
                topic: topic,
                priority: .high,
                expirationEpochSeconds: expiration,
                id: id,
                payload: body
            )
        }
    }

    static func requests() -> [HTTP2ClientRequest] {
        let shared = HTTP2Headers(sharedHeaders)
        return paths.map { path in
            HTTP2ClientRequest(method: "POST", path: path, headers: ownHeaders, sharing: shared, body: body)
        }
    }
}
