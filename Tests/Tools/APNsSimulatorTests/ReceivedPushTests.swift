import HTTP2Transport
import Testing

@testable import APNsSimulator

/// A valid request for a test to change in one place.
private struct Draft {
    var method = "POST"
    var path = "/3/device/" + String(repeating: "0a", count: 80)
    var headers = [
        HTTP2Header("apns-topic", "com.example.rangers.push-type.liveactivity"),
        HTTP2Header("apns-push-type", "liveactivity"),
        HTTP2Header("apns-priority", "5"),
        HTTP2Header("apns-expiration", "1790000600"),
        HTTP2Header("apns-id", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
    ]
    var payload = Array("{}".utf8)

    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name == name }
        if let value { headers.append(HTTP2Header(name, value)) }
    }

    var received: ReceivedRequest {
        ReceivedRequest(endpoint: .pushes, method: method, path: path, headers: headers, body: payload)
    }

    func check() throws(RejectionReason) -> ReceivedPush {
        try ReceivedPush(received, bundleID: "com.example.rangers")
    }
}

@Suite struct ReceivedPushTests {
    @Test func `a valid request is accepted`() throws {
        let request = try Draft().check()
        #expect(request.token?.hexadecimal == String(repeating: "0a", count: 80))
        #expect(request.priority == .low)
        #expect(request.expirationEpochSeconds == 1_790_000_600)
        #expect(request.payload == Array("{}".utf8))
    }

    @Test func `the default priority is high, and the expiration has no default`() throws {
        var draft = Draft()
        draft.set("apns-priority", nil)
        draft.set("apns-expiration", nil)
        let request = try draft.check()
        #expect(request.priority == .high)
        #expect(request.expirationEpochSeconds == nil)
    }

    @Test func `tokens are case-insensitive`() throws {
        var draft = Draft()
        draft.path = "/3/device/ABCD"
        #expect(try draft.check().token == PushToken(hexadecimal: "abcd"))
    }

    @Test(arguments: [
        ("apns-topic", nil, RejectionReason.missingTopic),
        ("apns-topic", "", .badTopic),
        ("apns-topic", "no topic.at all", .badTopic),
        ("apns-topic", "com.example.rangers", .deviceTokenNotForTopic),
        ("apns-topic", "com.example.rangers.voip", .deviceTokenNotForTopic),
        ("apns-topic", "com.example.rangersome.push-type.liveactivity", .topicDisallowed),
        ("apns-topic", "com.other.app.push-type.liveactivity", .topicDisallowed),
        ("apns-push-type", nil, .invalidPushType),
        ("apns-push-type", "background", .invalidPushType),
        ("apns-push-type", "alert", .deviceTokenNotForTopic),
        ("apns-push-type", "widgets", .deviceTokenNotForTopic),
        ("apns-priority", "+10", .badPriority),
        ("apns-priority", "010", .badPriority),
        ("apns-priority", "1", .badPriority),
        ("apns-priority", "high", .badPriority),
        ("apns-expiration", "-1", .badExpirationDate),
        ("apns-expiration", "tomorrow", .badExpirationDate),
        ("apns-id", "42", .badMessageID),
        ("apns-collapse-id", String(repeating: "é", count: 33), .badCollapseID),
    ])
    func `an invalid header is rejected`(name: String, value: String?, rejection: RejectionReason) {
        var draft = Draft()
        draft.set(name, value)
        #expect(throws: rejection) { try draft.check() }
    }

    @Test(arguments: [
        ("alert", "com.example.rangers", ["1", "5", "10"], true),
        ("widgets", "com.example.rangers.push-type.widgets", ["5"], false),
        ("liveactivity", topic, ["5", "10"], true),
    ])
    func `each push type has its topic and its priorities`(
        type: String,
        topic: String,
        priorities: [String],
        hasDefault: Bool
    ) throws {
        var draft = Draft()
        draft.set("apns-push-type", type)
        draft.set("apns-topic", topic)
        draft.set("apns-collapse-id", "adventure")
        for priority in ["1", "5", "10"] {
            draft.set("apns-priority", priority)
            guard priorities.contains(priority) else {
                #expect(throws: RejectionReason.badPriority) { try draft.check() }
                continue
            }
            let request = try draft.check()
            #expect(request.pushType.rawValue == type && request.topic == topic)
            #expect(request.priority.rawValue == Int(priority) && request.collapseID == "adventure")
        }
        // Without the header the priority is 10.
        draft.set("apns-priority", nil)
        #expect((try? draft.check().priority) == (hasDefault ? .high : nil))
        let topics: [(String, RejectionReason)] = [
            ("com.example.rangers.voip", .deviceTokenNotForTopic), ("com.other.app", .topicDisallowed),
            ("rangers", .badTopic),
        ]
        draft.set("apns-priority", "5")
        for (topic, reason) in topics {
            draft.set("apns-topic", topic)
            #expect(throws: reason) { try draft.check() }
        }
    }

    @Test(arguments: [
        ("/3/device/", RejectionReason.missingDeviceToken),
        ("/3/device", .missingDeviceToken),
        ("/3/device//", .badPath),
        ("/3/devices/abcd", .badPath),
        ("/3/device/xyz0", .badDeviceToken),
        ("/3/device/é", .badDeviceToken),
        ("/3/device/abc", .badDeviceToken),
        ("/2/device/abcd", .badPath),
        ("/3/device/abcd/more", .badPath),
        ("/", .badPath),
    ])
    func `an invalid path is rejected`(path: String, rejection: RejectionReason) {
        var draft = Draft()
        draft.path = path
        #expect(throws: rejection) { try draft.check() }
    }

    @Test func `only POST is allowed`() {
        var draft = Draft()
        draft.method = "PUT"
        #expect(throws: RejectionReason.methodNotAllowed) { try draft.check() }
    }

    @Test func `a push with a repeated unique header is rejected`() {
        var draft = Draft()
        draft.headers.append(HTTP2Header("apns-priority", "5"))
        #expect(throws: RejectionReason.duplicateHeaders) { try draft.check() }
    }

    @Test func `other headers can be repeated`() throws {
        var draft = Draft()
        draft.headers += [HTTP2Header("cookie", "a=1"), HTTP2Header("cookie", "b=2")]
        _ = try draft.check()
    }

    @Test func `a payload has 1 to 4,096 bytes, and a collapse id at most 64`() throws {
        var draft = Draft()
        draft.set("apns-collapse-id", String(repeating: "x", count: 64))
        draft.payload = Array(repeating: 32, count: 4096)
        _ = try draft.check()
        draft.payload.append(32)
        #expect(throws: RejectionReason.payloadTooLarge) { try draft.check() }
        draft.payload = []
        #expect(throws: RejectionReason.payloadEmpty) { try draft.check() }
    }

    @Test func `logged headers are bounded and exclude the provider token`() {
        var draft = Draft()
        draft.headers = (1...20).map { HTTP2Header("apns-\($0)", "e" + String(repeating: "\u{301}", count: 500)) }
        draft.headers.append(HTTP2Header("authorization", "bearer x"))
        draft.headers.insert(HTTP2Header("apns-topic", topic), at: 0)
        let kept = draft.received.loggedHeaders
        #expect(kept.count == 10)
        #expect(kept.first == PushLog.Header(name: "apns-topic", value: topic))
        #expect(kept.allSatisfy { $0.value.utf8.count <= 202 && $0.name.hasPrefix("apns-") })
    }

    @Test(arguments: RejectionReason.allCases)
    func `every rejection has the status that Apple documents`(rejection: RejectionReason) {
        let documented: [Int: [String]] = [
            400: [
                "BadChannelId", "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority",
                "BadRequestParams", "BadRequestPayload", "BadTopic", "CannotCreateChannelConfig",
                "ChannelNotRegistered", "DeviceTokenNotForTopic", "DuplicateHeaders", "FeatureNotEnabled",
                "IdleTimeout", "InvalidPushType", "MissingChannelId", "MissingDeviceToken", "MissingPushType",
                "MissingTopic", "PayloadEmpty", "TopicDisallowed",
            ],
            403: [
                "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyInToken", "ExpiredProviderToken",
                "Forbidden", "InvalidProviderToken", "MissingProviderToken", "TopicMismatch", "UnrelatedKeyIdInToken",
            ],
            404: ["BadPath"],
            405: ["MethodNotAllowed"],
            410: ["ExpiredToken", "Unregistered"],
            413: ["PayloadTooLarge"],
            429: ["TooManyProviderTokenUpdates", "TooManyRequests"],
            500: ["InternalServerError"],
            503: ["ServiceUnavailable", "Shutdown"],
        ]
        #expect(documented[rejection.status]?.contains(rejection.rawValue) == true)
    }
}
