import HTTP2Transport
import Testing

@testable import APNsSimulator

/// The responses of the real endpoint: every status and reason of Apple's that a push can cause.
@Suite(.timeLimit(.minutes(10)))
struct ResponseTests {
    private let key: TestSigningKey
    private let keys: [SenderKey]
    private let clock = Clock()

    init() throws {
        key = try TestSigningKey()
        keys = [
            try key.senderKey(),
            try key.senderKey(keyID: "SECOND2345"),
            try key.senderKey(keyID: "SHIPPED345", environment: .production),
            try key.senderKey(keyID: "STRANGER45", teamID: "TEAM999999"),
        ]
    }

    private func authorization(
        keyID: String = "ABCDE12345",
        teamID: String = "TEAM123456",
        at seconds: Int64 = 0
    ) throws -> String {
        try key.authorization(keyID: keyID, teamID: teamID, at: moment(seconds))
    }

    private func run(_ body: (RunningSimulator) async throws -> Void) async throws {
        try await RunningSimulator.run(keys: keys, now: { [clock] in clock.now }, body: body)
    }

    @Test func `every invalid push gets its status and reason`() async throws {
        let other = try TestSigningKey().authorization(keyID: "ABCDE12345", teamID: "TEAM123456", at: moment(0))
        let expired = try authorization(at: -3601)
        let early = try authorization(at: 301)
        let shipped = try authorization(keyID: "SHIPPED345")
        let second = try authorization(keyID: "SECOND2345")
        let stranger = try authorization(keyID: "STRANGER45", teamID: "TEAM999999")
        let faults: [(Int, String, (inout PushDraft) -> Void)] = [
            (400, "BadCollapseId", { $0.set("apns-collapse-id", String(repeating: "x", count: 65)) }),
            (400, "BadDeviceToken", { $0.path = "/3/device/\(String(repeating: "0a", count: 80))" }),
            (400, "BadExpirationDate", { $0.set("apns-expiration", "tomorrow") }),
            (400, "BadMessageId", { $0.set("apns-id", "42") }),
            (400, "BadPriority", { $0.set("apns-priority", "7") }),
            (400, "BadTopic", { $0.set("apns-topic", "rangers") }),
            (400, "DeviceTokenNotForTopic", { $0.set("apns-topic", "com.example.rangers") }),
            (400, "DuplicateHeaders", { $0.headers.append(HTTP2Header("apns-priority", "5")) }),
            (400, "InvalidPushType", { $0.set("apns-push-type", "voip") }),
            (400, "InvalidPushType", { $0.set("apns-push-type", nil) }),
            (400, "MissingDeviceToken", { $0.path = "/3/device/" }),
            (400, "MissingTopic", { $0.set("apns-topic", nil) }),
            (400, "PayloadEmpty", { $0.body = [] }),
            (400, "TopicDisallowed", { $0.set("apns-topic", "com.other.app.push-type.liveactivity") }),
            (403, "BadEnvironmentKeyInToken", { $0.set("authorization", shipped) }),
            (403, "ExpiredProviderToken", { $0.set("authorization", expired) }),
            (403, "InvalidProviderToken", { $0.set("authorization", early) }),
            (403, "InvalidProviderToken", { $0.set("authorization", other) }),
            (403, "InvalidProviderToken", { $0.set("authorization", stranger) }),
            (403, "MissingProviderToken", { $0.set("authorization", nil) }),
            (403, "UnrelatedKeyIdInToken", { $0.set("authorization", second) }),
            (404, "BadPath", { $0.path = "/2/device/0a" }),
            (405, "MethodNotAllowed", { $0.method = "PUT" }),
            (413, "PayloadTooLarge", { $0.body = Array(repeating: 32, count: 4097) }),
        ]
        let good = try authorization()
        try await run { simulator in
            let token = try await simulator.newActivity().token
            let draft = PushDraft(to: token, authorization: good)
            let client = try simulator.client()
            defer { client.close() }
            #expect(try await client.response(to: draft).status == 200)
            for (status, reason, invalidate) in faults {
                var invalid = draft
                invalidate(&invalid)
                let response = try await client.response(to: invalid)
                #expect(response.status == status, "\(reason)")
                #expect(response.text == #"{"reason":"\#(reason)"}"#)
                #expect(response.headers["content-type"] == "application/json")
                #expect(response.headers["apns-id"] != nil)
            }
            #expect(try await client.response(to: draft).status == 200)
        }
    }

    @Test func `the response to an accepted push has the sender's id, and in the sandbox Apple's unique id`()
        async throws
    {
        let authorization = try authorization()
        for environment in EmulatedEnvironment.allCases {
            let body: (RunningSimulator) async throws -> Void = { simulator in
                var draft = PushDraft(to: try await simulator.newActivity().token, authorization: authorization)
                let client = try simulator.client()
                defer { client.close() }
                let named = try await client.response(to: draft)
                #expect(named.status == 200 && named.body.isEmpty)
                #expect(named.headers["apns-id"] == "6f9619ff-8b86-4d01-b42d-00cf4fc964ff")
                #expect((named.headers["apns-unique-id"] != nil) == (environment == .sandbox))
                draft.set("apns-id", nil)
                let assignedID = try #require(try await client.response(to: draft).headers["apns-id"])
                #expect(assignedID.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
            }
            try await RunningSimulator.run(
                keys: keys,
                now: { [clock] in clock.now },
                configure: { $0.environment = environment },
                body: body
            )
        }
    }

    @Test func `a token is unregistered after a swipe, and expired after its activity is dismissed`() async throws {
        let authorization = try authorization()
        try await run { simulator in
            let client = try simulator.client()
            defer { client.close() }
            let swiped = try await simulator.newActivity()
            clock.seconds = 5
            #expect(try await simulator.web("DELETE", swiped.path).0 == 204)
            let response = try await client.response(to: PushDraft(to: swiped.token, authorization: authorization))
            #expect(response.status == 410)
            #expect(response.text == #"{"reason":"Unregistered","timestamp":1790000005000}"#)

            let ended = try await simulator.newActivity()
            let end = payload("end", members: #", "dismissal-date": \#(epoch + 100)"#)
            let draft = PushDraft(to: ended.token, authorization: authorization, payload: end)
            for (seconds, status) in [(5, 200), (100, 200), (159, 200), (160, 410)] as [(Int64, Int)] {
                clock.seconds = seconds
                #expect(try await client.response(to: draft).status == status, "after \(seconds) s")
            }
            #expect(
                try await client.response(to: draft).text == #"{"reason":"ExpiredToken","timestamp":1790000100000}"#
            )
        }
    }

    @Test func `a provider token may be renewed on a connection after 20 minutes`() async throws {
        let tokens = try [0, 60].map { try authorization(at: $0) }
        try await run { simulator in
            let client = try simulator.client()
            defer { client.close() }
            let token = try await simulator.newActivity().token
            let drafts = tokens.map { PushDraft(to: token, authorization: $0) }
            clock.seconds = 60
            #expect(try await client.response(to: drafts[0]).status == 200)
            let rejection = try await client.response(to: drafts[1])
            #expect(rejection.status == 429)
            #expect(rejection.text == #"{"reason":"TooManyProviderTokenUpdates"}"#)
            #expect(try await client.response(to: drafts[0]).status == 200, "the previous token is still valid")
            let another = try simulator.client()
            #expect(try await another.response(to: drafts[1]).status == 200, "renewals are limited per connection")
            another.close()
            clock.seconds = 1200
            #expect(try await client.response(to: drafts[1]).status == 200)
            #expect(try await client.response(to: drafts[0]).status == 429, "the last renewal is too recent")
        }
    }
}
