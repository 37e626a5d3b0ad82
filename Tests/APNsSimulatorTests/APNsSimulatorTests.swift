import Foundation
import FoundationNetworking
import HTTP2Transport
import Logging
import ServiceLifecycle
import Testing

@testable import APNsSimulator

/// The whole simulator, over its real doors.
@Suite struct APNsSimulatorTests {
    private static let topic = "com.example.rangers.push-type.liveactivity"
    private let key: ProviderKey
    /// What a good sender sends for half an hour at least.
    private let authorization: String

    init() throws {
        let signingKey = try TestSigningKey()
        key = try ProviderKey(pem: signingKey.pem)
        authorization = try signingKey.authorization(keyID: "ABCDE12345", teamID: "TEAM123456", at: .now())
    }

    /// Runs a simulator on free ports for as long as `body` takes, and stops it as a signal would.
    private static func withSimulator(
        _ key: ProviderKey,
        httpPort: Int = 0,
        _ body: (APNsSimulator.Listening) async throws -> Void
    ) async throws {
        var configuration = APNsSimulator.Configuration(
            bundleID: "com.example.rangers",
            teamID: "TEAM123456",
            keyID: "ABCDE12345",
            providerKey: key
        )
        configuration.httpPort = httpPort
        let (opened, continuation) = AsyncStream.makeStream(of: APNsSimulator.Listening.self)
        var logger = Logger(label: "test")
        logger.logLevel = .error
        let simulator = try APNsSimulator(configuration: configuration, logger: logger) { continuation.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [simulator], logger: logger))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            for await listening in opened {
                try await body(listening)
                await group.triggerGracefulShutdown()
                break
            }
            try await tasks.waitForAll()
        }
    }

    private static func post(_ path: String, _ body: String, _ listening: APNsSimulator.Listening) async throws -> Data
    {
        let base = "http://\(listening.httpHost):\(listening.httpPort)"
        var request = URLRequest(url: try #require(URL(string: base + path)))
        request.httpMethod = "POST"
        request.httpBody = Data(body.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        try #require((response as? HTTPURLResponse)?.statusCode == 201)
        return data
    }

    private static func get(_ path: String, _ listening: APNsSimulator.Listening) async throws -> String {
        let url = try #require(URL(string: "http://\(listening.httpHost):\(listening.httpPort)\(path)"))
        let (data, _) = try await URLSession.shared.data(from: url)
        return String(decoding: data, as: UTF8.self)
    }

    /// A token for a new activity on a new phone.
    private static func newToken(_ listening: APNsSimulator.Listening) async throws -> String {
        struct Added: Decodable { let phoneID: String }
        struct Started: Decodable { let pushToken: String }
        let added = try JSONDecoder().decode(
            Added.self,
            from: try await post("/api/phones", #"{"label":"Mina"}"#, listening)
        )
        let id = UUID().uuidString.lowercased()
        let started = try await post(
            "/api/phones/\(added.phoneID)/activities",
            #"{"activityID":"\#(id)","adventureID":"\#(id)"}"#,
            listening
        )
        return try JSONDecoder().decode(Started.self, from: started).pushToken
    }

    private static func client(for listening: APNsSimulator.Listening) throws -> HTTP2Client {
        let trust = TLSTrust.authorities(pem: listening.certificateAuthorityPEM)
        return try HTTP2Client(
            configuration: .init(host: listening.apnsHost, port: listening.apnsPort, trust: trust),
            logger: Logger(label: "test")
        )
    }

    private static func response(_ outcome: HTTP2Outcome) -> HTTP2Response? {
        guard case .response(let response) = outcome else { return nil }
        return response
    }

    private static func request(to token: String, authorization: String, payload: [UInt8]) -> HTTP2ClientRequest {
        HTTP2ClientRequest(
            method: "POST",
            path: "/3/device/\(token)",
            headers: [
                HTTP2Header("authorization", authorization),
                HTTP2Header("apns-topic", topic),
                HTTP2Header("apns-push-type", "liveactivity"),
                HTTP2Header("apns-priority", "5"),
                HTTP2Header("apns-expiration", "\(epoch)"),
                HTTP2Header("apns-id", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"),
            ],
            body: payload
        )
    }

    @Test func `a push over HTTP/2 and TLS is answered as Apple does and shown on the phone`() async throws {
        try await Self.withSimulator(key) { listening in
            let token = try await Self.newToken(listening)
            let client = try Self.client(for: listening)
            let outcomes = await client.send([
                Self.request(to: token, authorization: authorization, payload: payload(tick: 42)),
                Self.request(to: "00", authorization: authorization, payload: payload()),
                Self.request(to: token, authorization: "bearer x.y.z", payload: payload()),
            ])
            client.close()
            let answers = try outcomes.map { try #require(Self.response($0)) }
            #expect(answers.map(\.status) == [200, 400, 403])
            #expect(answers.allSatisfy { $0.headers["apns-id"] == "6f9619ff-8b86-4d01-b42d-00cf4fc964ff" })
            #expect(answers[0].body.isEmpty)
            #expect(String(decoding: answers[1].body, as: UTF8.self) == #"{"reason":"BadDeviceToken"}"#)
            #expect(answers[1].headers["content-type"] == "application/json")
            #expect(String(decoding: answers[2].body, as: UTF8.self) == #"{"reason":"InvalidProviderToken"}"#)
            #expect(try await Self.get("/api/phones", listening).contains(#""tick":42"#))
        }
    }

    @Test func `a stranger's id that is no UUID is not kept`() async throws {
        try await Self.withSimulator(key) { listening in
            let client = try Self.client(for: listening)
            let id = String(repeating: "x", count: 10_000)
            let outcomes = await client.send([
                HTTP2ClientRequest(method: "POST", path: "/", headers: [HTTP2Header("apns-id", id)], body: [])
            ])
            client.close()
            let answer = try #require(outcomes.first.flatMap(Self.response))
            #expect(answer.status == 403)
            let answered = try #require(answer.headers["apns-id"])
            #expect(UUID(uuidString: answered) != nil)
            let pushes = try await Self.get("/api/pushes", listening)
            #expect(pushes.contains(#""apnsID":"\#(answered)""#))
            #expect(!pushes.contains(id))
        }
    }

    @Test func `a connection has one stream until it has shown who it is, and a thousand then`() async throws {
        try await Self.withSimulator(key) { listening in
            let token = try await Self.newToken(listening)
            let client = try Self.client(for: listening)
            let requests = (1...500).map { number in
                Self.request(
                    to: token,
                    authorization: authorization,
                    payload: payload(timestamp: epoch + Int64(number), tick: number)
                )
            }
            let statuses = await client.send(requests).map { Self.response($0)?.status }
            client.close()
            #expect(statuses == Array(repeating: 200, count: 500))
            #expect(try await Self.get("/api/phones", listening).contains(#""tick":500"#))
            #expect(try await Self.get("/api/violations", listening) == #"{"violations":[]}"#)
        }
    }

    @Test func `a page's port that is taken leads to the next one`() async throws {
        try await Self.withSimulator(key) { first in
            try await Self.withSimulator(key, httpPort: first.httpPort) { second in
                #expect(second.httpPort > first.httpPort)
                let health = try await Self.get("/healthz", second)
                #expect(health == #"{"status":"ok"}"#)
            }
        }
    }

    @Test func `an answer of 410 says since when in milliseconds`() {
        let outcome = PhoneWall.Outcome(
            refusal: .unregistered,
            deadSince: Moment(epochMilliseconds: 1_790_000_000_123),
            entry: refusedEntry,
            violations: []
        )
        let response = HTTP2Response(outcome)
        #expect(response.status == 410)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"reason":"Unregistered","timestamp":1790000000123}"#
        )
    }

    private var refusedEntry: PushLog.Entry {
        var log = PushLog()
        return log.append { number in
            PushLog.Entry(
                number: number,
                time: moment(0),
                phoneID: nil,
                activityID: nil,
                priority: nil,
                event: nil,
                timestamp: nil,
                apnsID: "a",
                size: 0,
                status: 410,
                reason: nil,
                reaction: nil,
                alert: nil,
                payload: ""
            )
        }
    }
}
