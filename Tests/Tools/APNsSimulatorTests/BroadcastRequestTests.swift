import HTTP2Transport
import Testing

@testable import APNsSimulator

/// Validation of broadcasts and of requests about channels.
@Suite struct BroadcastRequestTests {
    private static let id = "dHN0LXNyY2gtY2hubA=="

    private func broadcast(
        method: String = "POST",
        path: String = "/4/broadcasts/apps/com.example.rangers",
        _ name: String? = nil,
        _ value: String? = nil,
        bytes: Int = 2
    ) throws(RejectionReason) -> ReceivedPush {
        var headers = [
            HTTP2Header("apns-channel-id", Self.id), HTTP2Header("apns-push-type", "liveactivity"),
            HTTP2Header("apns-priority", "5"), HTTP2Header("apns-expiration", "0"),
            HTTP2Header("apns-request-id", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
        ]
        headers.removeAll { $0.name == name }
        if let name, let value { headers.append(HTTP2Header(name, value)) }
        let body = Array(repeating: UInt8(ascii: " "), count: bytes)
        let request = ReceivedRequest(endpoint: .pushes, method: method, path: path, headers: headers, body: body)
        return try ReceivedPush(request, bundleID: "com.example.rangers")
    }

    private func manage(
        _ method: String,
        _ path: String = "/1/apps/com.example.rangers/channels",
        id: String? = id,
        requestID: String? = nil,
        body: String = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    ) throws(RejectionReason) -> ManagementRequest {
        let headers = [("apns-channel-id", id), ("apns-request-id", requestID)].compactMap { name, value in
            value.map { HTTP2Header(name, $0) }
        }
        let request = ReceivedRequest(
            endpoint: .channels,
            method: method,
            path: path,
            headers: headers,
            body: Array(body.utf8)
        )
        return try ManagementRequest(request, bundleID: "com.example.rangers")
    }

    @Test func `a valid broadcast is accepted`() throws {
        let request = try broadcast()
        #expect(request.channelID == Channel.ID(base64: Self.id))
        #expect(request.priority == .low && request.expirationEpochSeconds == 0 && request.payload == [32, 32])
        #expect(try broadcast(bytes: 5120).payload.count == 5120)
        _ = try broadcast("apns-push-type", "Liveactivity")
        _ = try broadcast("apns-request-id", nil)
    }

    @Test(arguments: [
        ("apns-channel-id", nil, RejectionReason.missingChannelID),
        ("apns-channel-id", "no base64", .badChannelID),
        ("apns-channel-id", String(repeating: "AAAA", count: 65), .badChannelID),
        ("apns-push-type", nil, .missingPushType),
        ("apns-push-type", "alert", .invalidPushType),
        ("apns-priority", nil, .badPriority),
        ("apns-priority", "7", .badPriority),
        ("apns-expiration", nil, .badExpirationDate),
        ("apns-expiration", "-1", .badExpirationDate),
        ("apns-request-id", "42", .badMessageID),
    ])
    func `a broadcast with an invalid header is rejected`(
        name: String,
        value: String?,
        rejection: RejectionReason
    ) {
        #expect(throws: rejection) { try broadcast(name, value) }
    }

    @Test func `a broadcast with a wrong path or size is rejected`() {
        #expect(throws: RejectionReason.methodNotAllowed) { try broadcast(method: "PUT") }
        #expect(throws: RejectionReason.badPath) { try broadcast(path: "/4/broadcasts/com.example.rangers") }
        #expect(throws: RejectionReason.topicMismatch) { try broadcast(path: "/4/broadcasts/apps/com.other.app") }
        #expect(throws: RejectionReason.topicDisallowed) {
            try broadcast(path: "/4/broadcasts/apps/com.example.rangers.push-type.liveactivity")
        }
        #expect(throws: RejectionReason.payloadTooLarge) { try broadcast(bytes: 5121) }
        #expect(throws: RejectionReason.payloadEmpty) { try broadcast(bytes: 0) }
    }

    @Test func `a valid management request is accepted`() throws {
        let id = try #require(Channel.ID(base64: Self.id))
        #expect(try manage("POST", id: nil) == .create(.mostRecentMessage))
        #expect(try manage("GET") == .read(id))
        #expect(try manage("DELETE") == .delete(id))
        #expect(try manage("GET", "/1/apps/com.example.rangers/all-channels", id: nil) == .list)
    }

    @Test func `an invalid management request is rejected`() {
        #expect(throws: RejectionReason.methodNotAllowed) { try manage("PUT") }
        #expect(throws: RejectionReason.methodNotAllowed) {
            try manage("POST", "/1/apps/com.example.rangers/all-channels")
        }
        #expect(throws: RejectionReason.badPath) {
            try manage("GET", "/1/apps/com.example.rangers/channels/\(Self.id)")
        }
        #expect(throws: RejectionReason.topicMismatch) { try manage("GET", "/1/apps/com.other.app/channels") }
        #expect(throws: RejectionReason.topicDisallowed) {
            try manage("GET", "/1/apps/com.example.rangers.push-type.liveactivity/channels")
        }
        #expect(throws: RejectionReason.missingChannelID) { try manage("GET", id: nil) }
        #expect(throws: RejectionReason.badChannelID) { try manage("DELETE", id: "?") }
        #expect(throws: RejectionReason.badMessageID) { try manage("GET", requestID: "42") }
    }

    @Test(arguments: [
        ("", RejectionReason.payloadEmpty), ("{", .badRequestPayload), ("[1]", .badRequestPayload),
        (#"{"message-storage-policy":1}"#, .missingPushType),
        (#"{"message-storage-policy":1,"push-type":"alert"}"#, .invalidPushType),
        (#"{"push-type":"LiveActivity"}"#, .badRequestParameters),
        (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, .badRequestParameters),
        (#"{"message-storage-policy":1,"push-type":"LiveActivity","name":"x"}"#, .badRequestParameters),
    ])
    func `an invalid description of a channel is rejected`(body: String, rejection: RejectionReason) {
        #expect(throws: rejection) { try manage("POST", body: body) }
    }

    @Test func `the number of channels is limited, and deleting one makes room`() throws {
        var store = ChannelStore(maxChannels: 2)
        var generator = SplitMix64(seed: 1)
        let ids = (0..<3).map { _ in Channel.ID(using: &generator) }
        for id in ids.prefix(2) { try store.add(id, storagePolicy: .noMessage) }
        #expect(throws: RejectionReason.cannotCreateChannel) { try store.add(ids[2], storagePolicy: .noMessage) }
        try store.remove(ids[0])
        try store.add(ids[2], storagePolicy: .noMessage)
        #expect(Set(store.ids) == [ids[1], ids[2]])
        #expect(throws: RejectionReason.channelNotRegistered) { try store.remove(ids[0]) }
    }

    @Test func `a nonzero expiration requires a channel with storage`() throws {
        var wall = PhoneWall(catalog: try smallCatalog())
        let id = try #require(Channel.ID(base64: Self.id))
        try wall.channels.add(id, storagePolicy: .noMessage)
        func publish(_ expiration: String) throws -> PhoneWall.Outcome {
            wall.push(try broadcast("apns-expiration", expiration))
        }
        #expect(try publish("1").rejection == .badExpirationDate)
        #expect(try publish("0").rejection == nil)
    }
}
