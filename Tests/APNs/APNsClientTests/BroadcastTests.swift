import APNsClient
import Encodings
import Foundation
import HTTP2Transport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BroadcastTests {
    private let bundleID: BundleID
    private let stored: APNsChannel
    private let unstored: APNsChannel

    init() throws {
        bundleID = try #require(BundleID("com.example.rangers"))
        let id = try #require(APNsChannel.ID("dHN0LXNyY2gtY2hubA=="))
        stored = APNsChannel(id: id, storagePolicy: .mostRecentMessage)
        unstored = APNsChannel(id: id, storagePolicy: .noMessage)
    }

    private func broadcast(
        to channel: APNsChannel,
        expiration: Int64 = 0,
        payload: String = #"{"aps":{}}"#
    ) throws(APNsBroadcastError) -> APNsBroadcast {
        try APNsBroadcast(
            bundleID: bundleID,
            channel: channel,
            priority: .low,
            expirationEpochSeconds: expiration,
            id: UUID(),
            payload: Array(payload.utf8)
        )
    }

    private func limit(
        _ channel: APNsChannel,
        expiration: Int64 = 0,
        payload: String = #"{"aps":{}}"#
    ) -> APNsBroadcastError? {
        do throws(APNsBroadcastError) {
            _ = try broadcast(to: channel, expiration: expiration, payload: payload)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a broadcast is sent as Apple documents`() async throws {
        let apns = try TestAPNs { request, _ in
            let id = request.headers["apns-request-id"] ?? ""
            return HTTP2Response(
                status: 200,
                headers: [HTTP2Header("apns-request-id", id), HTTP2Header("apns-unique-id", "unique")]
            )
        }
        let broadcast = try broadcast(to: stored, expiration: 1_700_000_600)
        #expect(await apns.client.send(broadcast) == .accepted(apnsID: broadcast.id, uniqueID: "unique"))
        let request = try #require(apns.requests.value.first)
        #expect(request.method == "POST")
        #expect(request.path == "/4/broadcasts/apps/com.example.rangers")
        #expect(request.body == broadcast.payload)
        #expect(request.headers["authorization"]?.hasPrefix("bearer ") == true)
        let others = request.headers.filter { $0.name != "authorization" }
        #expect(
            others.map { "\($0.name): \($0.value)" } == [
                "apns-channel-id: dHN0LXNyY2gtY2hubA==",
                "apns-push-type: liveactivity",
                "apns-priority: 5",
                "apns-expiration: 1700000600",
                "apns-request-id: \(broadcast.id.uuidString.lowercased())",
            ]
        )
    }

    @Test func `a broadcast to a deleted channel is rejected`() async throws {
        let apns = try TestAPNs { _, _ in reject(400, "ChannelNotRegistered") }
        let rejection = APNsRejection(status: 400, reason: .channelNotRegistered)
        #expect(rejection.reaction == .forgetChannel)
        #expect(await apns.client.send(try broadcast(to: unstored)) == .rejected(rejection))
    }

    @Test func `a broadcast that exceeds a limit is an error`() {
        #expect(limit(stored, payload: "") == .payloadEmpty)
        #expect(limit(stored, payload: String(repeating: "x", count: 5120)) == nil)
        #expect(limit(stored, payload: String(repeating: "x", count: 5121)) == .payloadTooLarge(bytes: 5121))
        // 2 bytes in UTF-8.
        #expect(limit(stored, payload: String(repeating: "é", count: 2561)) == .payloadTooLarge(bytes: 5122))
        #expect(limit(stored, expiration: -1) == .negativeExpiration(epochSeconds: -1))
        #expect(limit(stored, expiration: 1_700_000_600) == nil)
        #expect(limit(unstored, expiration: 1_700_000_600) == .expirationWithoutStorage)
        #expect(limit(unstored, expiration: 0) == nil)
    }

    @Test(arguments: ["", "a b", "a/b", "é", "a\r\nb", "com.example.rangers.push-type.liveactivity"])
    func `an invalid bundle identifier is rejected`(text: String) {
        #expect(BundleID(text) == nil)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ab-_", "é", String(repeating: "A", count: 257)])
    func `an invalid channel ID is rejected`(text: String) {
        #expect(APNsChannel.ID(text) == nil)
    }
}
