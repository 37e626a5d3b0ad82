import APNsClient
import Foundation
import HTTP2Transport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ChannelTests {
    private let bundleID: BundleID
    private let id: APNsChannel.ID

    init() throws {
        bundleID = try #require(BundleID("com.example.rangers"))
        id = try #require(APNsChannel.ID("dHN0LXNyY2gtY2hubA=="))
    }

    /// Returns the method, path, channel ID and body of each received request.
    private func seen(by apns: TestAPNs) -> [String] {
        apns.requests.value.map { request in
            let channel = request.headers["apns-channel-id"] ?? "none"
            return "\(request.method) \(request.path) \(channel) \(String(decoding: request.body, as: UTF8.self))"
        }
    }

    private func error(_ work: () async throws(APNsChannelError) -> Void) async -> APNsChannelError? {
        do throws(APNsChannelError) {
            try await work()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [APNsChannel.StoragePolicy.noMessage, .mostRecentMessage])
    func `a channel is created`(policy: APNsChannel.StoragePolicy) async throws {
        let name = id.description
        let apns = try TestAPNs { _, _ in
            HTTP2Response(status: 201, headers: [HTTP2Header("apns-channel-id", name)])
        }
        let channel = try await apns.client.createChannel(of: bundleID, storing: policy)
        #expect(channel == APNsChannel(id: id, storagePolicy: policy))
        let body = #"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#
        #expect(seen(by: apns) == ["POST /1/apps/com.example.rangers/channels none \(body)"])
    }

    @Test func `a channel is read`() async throws {
        let apns = try TestAPNs { _, _ in
            HTTP2Response(
                status: 200,
                body: Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)
            )
        }
        let channel = try await apns.client.channel(id, of: bundleID)
        #expect(channel == APNsChannel(id: id, storagePolicy: .mostRecentMessage))
        #expect(seen(by: apns) == ["GET /1/apps/com.example.rangers/channels \(id) "])
    }

    @Test func `a channel is deleted`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 204) }
        try await apns.client.deleteChannel(id, of: bundleID)
        #expect(seen(by: apns) == ["DELETE /1/apps/com.example.rangers/channels \(id) "])
    }

    /// The maximum number of channels of an app.
    @Test func `ten thousand channels are listed`() async throws {
        let names = (0..<10_000).map { Data("channel number \($0) ".utf8).base64EncodedString() }
        let body = try JSONEncoder().encode(["channels": names])
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200, body: Array(body)) }
        #expect(try await apns.client.channels(of: bundleID).map(\.description) == names)
        #expect(seen(by: apns) == ["GET /1/apps/com.example.rangers/all-channels none "])
    }

    @Test func `pushes and channel management share a provider token and its renewal`() async throws {
        let old = Recorder<String?>(nil)
        let apns = try TestAPNs { request, _ in
            if request.headers["authorization"] == old.value { return reject(403, "ExpiredProviderToken") }
            return HTTP2Response(status: request.method == "DELETE" ? 204 : 200)
        }
        _ = await apns.client.send(try makePush())
        try await apns.client.deleteChannel(id, of: bundleID)
        let authorization = apns.requests.value.first?.headers["authorization"]
        old.change { $0 = authorization }
        apns.clock.change { $0 += 20 * 60 }
        try await apns.client.deleteChannel(id, of: bundleID)
        _ = await apns.client.send(try makePush())
        let tokens = apns.requests.value.map { $0.headers["authorization"] == authorization }
        #expect(tokens == [true, true, true, false, false])
    }

    @Test func `the reaction to the maximum number of channels is to delete some`() async throws {
        let apns = try TestAPNs { _, _ in reject(400, "CannotCreateChannelConfig") }
        let rejection = APNsRejection(status: 400, reason: .cannotCreateChannel)
        #expect(rejection.reaction == .deleteChannels)
        let error = await error { () throws(APNsChannelError) in
            _ = try await apns.client.createChannel(of: bundleID, storing: .noMessage)
        }
        #expect(error == .rejected(rejection))
    }

    @Test(arguments: ["", "{}", #"{"message-storage-policy":2}"#, #"{"channels":["not base64!"]}"#])
    func `a response without a required value is an error`(body: String) async throws {
        let apns = try TestAPNs { request, _ in
            HTTP2Response(status: request.method == "POST" ? 201 : 200, body: Array(body.utf8))
        }
        let errors = [
            await error { () throws(APNsChannelError) in _ = try await apns.client.channel(id, of: bundleID) },
            await error { () throws(APNsChannelError) in _ = try await apns.client.channels(of: bundleID) },
            await error { () throws(APNsChannelError) in
                _ = try await apns.client.createChannel(of: bundleID, storing: .noMessage)
            },
        ]
        for error in errors {
            guard case .unreadable = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test func `a missing response and an unsent request are different errors`() async throws {
        let apns = try TestAPNs(requestTimeout: .seconds(1)) { _, _ in nil }
        let unanswered = await error { () throws(APNsChannelError) in
            try await apns.client.deleteChannel(id, of: bundleID)
        }
        #expect(unanswered == .unknown(.timedOut))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await apns.client.run() }
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        let stopped = await error { () throws(APNsChannelError) in
            try await apns.client.deleteChannel(id, of: bundleID)
        }
        #expect(stopped == .neverSent(.shuttingDown))
    }
}
