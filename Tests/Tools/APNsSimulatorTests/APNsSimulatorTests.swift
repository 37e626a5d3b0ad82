import Foundation
import HTTP2Transport
import Testing

@testable import APNsSimulator

/// The whole simulator, over its real endpoints.
@Suite struct APNsSimulatorTests {
    private let keys: [SenderKey]
    private let authorization: String

    init() throws {
        let signingKey = try TestSigningKey()
        keys = [try signingKey.senderKey()]
        authorization = try signingKey.authorization(keyID: "ABCDE12345", teamID: "TEAM123456", at: moment(0))
    }

    private func run(_ body: (RunningSimulator) async throws -> Void) async throws {
        try await RunningSimulator.run(keys: keys, now: { moment(0) }, body: body)
    }

    @Test func `a push over HTTP/2 and TLS is shown on the phone`() async throws {
        try await run { simulator in
            let token = try await simulator.newActivity().token
            let client = try simulator.client()
            defer { client.close() }
            let draft = PushDraft(to: token, authorization: authorization, payload: payload(tick: 42))
            #expect(try await client.response(to: draft).status == 200)
            #expect(try await simulator.text("/api/phones").contains(#""tick":42"#))
        }
    }

    @Test(arguments: [
        (AppToken.Kind.device, #"{"aps":{"alert":{"title":"A dragon!"}}}"#, "A dragon!", "com.example.rangers"),
        (.widgets, #"{"aps":{"content-changed":true}}"#, #""reloads":1"#, "com.example.rangers.push-type.widgets"),
    ])
    func `a push to the app's other tokens is shown, too`(
        kind: AppToken.Kind,
        body: String,
        shown: String,
        topic: String
    ) async throws {
        struct Token: Decodable { let pushToken: String }
        try await run { simulator in
            let phone = try await simulator.newActivity().phonePath
            let token = try await simulator.post("\(phone)/\(kind.rawValue)", as: Token.self).pushToken
            let client = try simulator.client()
            defer { client.close() }
            var draft = PushDraft(to: token, authorization: authorization, payload: Array(body.utf8))
            let wrong = try await client.response(to: draft)
            #expect(wrong.status == 400 && wrong.text == #"{"reason":"DeviceTokenNotForTopic"}"#)
            draft.set("apns-topic", topic)
            draft.set("apns-push-type", kind.pushType.rawValue)
            #expect(try await client.response(to: draft).status == 200)
            #expect(try await simulator.text(phone).contains(shown))
        }
    }

    @Test func `an unauthenticated id that is not a UUID is not logged`() async throws {
        try await run { simulator in
            let client = try simulator.client()
            defer { client.close() }
            let id = String(repeating: "x", count: 10_000)
            var draft = PushDraft(to: "00", authorization: "bearer x.y.z")
            draft.set("apns-id", id)
            let response = try await client.response(to: draft)
            #expect(response.status == 403)
            let assignedID = try #require(response.headers["apns-id"])
            #expect(UUID(uuidString: assignedID) != nil)
            let pushes = try await simulator.text("/api/pushes")
            #expect(pushes.contains(#""apnsID":"\#(assignedID)""#))
            #expect(!pushes.contains(id))
        }
    }

    @Test func `a connection has one stream until it is authenticated, and a thousand afterwards`() async throws {
        try await run { simulator in
            let token = try await simulator.newActivity().token
            let client = try simulator.client()
            defer { client.close() }
            let requests = (1...500).map { number in
                let bytes = payload(timestamp: epoch + Int64(number), tick: number)
                return PushDraft(to: token, authorization: authorization, payload: bytes).request
            }
            let statuses = await client.send(requests).map { outcome -> Int? in
                guard case .response(let response) = outcome else { return nil }
                return response.status
            }
            #expect(statuses == Array(repeating: 200, count: 500))
            #expect(try await simulator.text("/api/phones").contains(#""tick":500"#))
            #expect(try await simulator.text("/api/violations") == #"{"violations":[]}"#)
        }
    }

    @Test func `the page uses the next port if its port is in use`() async throws {
        try await RunningSimulator.run(keys: keys) { first in
            let usedPort = first.listening.httpPort
            try await RunningSimulator.run(keys: keys, configure: { $0.httpPort = usedPort }) { second in
                #expect(second.listening.httpPort > usedPort)
                let health = try await second.text("/healthz")
                #expect(health == #"{"status":"ok"}"#)
            }
        }
    }
}
