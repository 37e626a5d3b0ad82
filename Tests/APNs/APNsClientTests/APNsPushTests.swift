import APNsClient
import Foundation
import Testing

struct APNsPushTests {
    @Test func `redacted headers hide the provider token and nothing else`() throws {
        let push = APNsPush(
            deviceToken: try #require(DeviceToken(hex: "80f1c2d3e4a5b697")),
            topic: try #require(BundleID("com.example.rangers")).topic,
            priority: .high,
            expirationEpochSeconds: 1_790_000_300,
            id: UUID(uuid: (1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, 16)),
            payload: Array("{}".utf8)
        )
        #expect(
            push.redactedHeaders.map { "\($0.name): \($0.value)" } == [
                "apns-expiration: 1790000300", "apns-id: 01020304-0506-7008-800a-0b0c0d0e0f10",
                "authorization: bearer <redacted>", "apns-push-type: liveactivity",
                "apns-topic: com.example.rangers.push-type.liveactivity", "apns-priority: 10",
            ]
        )
    }
}
