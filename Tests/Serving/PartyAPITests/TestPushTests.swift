import APNsClient
import Cryptography
import Encodings
import GameCore
import GameStore
import JSONCoding
import Logging
import NodeMonitoring
import PartyAPI
import PushCadence
import PushDispatcher
import ServiceRuntime
import Testing

/// `POST /admin/v1/pushes`, and the APNs checks of `GET /admin/v1/doctor`.
@Suite struct TestPushTests {
    private static let push: JSONValue = ["deviceToken": "80f1c2d3e4a5b697", "event": "update"]

    /// Returns diagnostics for a port without a listener, so that no push is sent.
    private func unreachableAPNs() throws -> APNsDiagnostics {
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            host: "127.0.0.1",
            port: 1,
            providerKey: try ProviderKey(
                pem: try P256PrivateKey.generate().pem,
                keyID: "TESTKEY001",
                teamID: "TESTTEAM01"
            )
        )
        configuration.requestTimeout = .seconds(1)
        let logger = Logger(label: "nowhere") { _ in SwiftLogNoOpLogHandler() }
        let client = try APNsClient(configuration: configuration, now: { 1_790_000_000 }, logger: logger)
        let tester = PushTester(
            clients: [.simulator: client],
            settings: DispatcherSettings(policy: CadencePolicy(), bundleID: "com.example.rangers"),
            runtime: Runtime(now: { Timestamp(epochSeconds: 1_790_000_000) }, randomBits: { 7 })
        )
        return APNsDiagnostics(tester)
    }

    @Test func `the response to a test push has the request without its secrets, and the outcome`() async throws {
        try await APIWorld.with(diagnostics: try unreachableAPNs()) { world in
            let admin = try await world.operatorToken(.admin)
            let reply = try await world.client.send("POST", "/admin/v1/pushes", token: admin, body: Self.push)
            #expect(reply.status == 200)
            #expect(reply.json["outcome"] == "neverSent" && reply.json["host"] == "127.0.0.1")
            #expect(reply.json["request"] == "POST /3/device/80f1c2…(8 bytes)")
            #expect(!reply.text.contains("d3e4a5b697") && reply.text.contains("bearer <redacted>"))
            #expect(reply.json["payload"].text.utf8.count == Int(reply.json["payloadBytes"].number))

            let audit = try await world.store.auditEntries(limit: 10)
            #expect(audit.first?.action.rawValue == "push.send")

            let elsewhere: JSONValue = ["deviceToken": "80f1", "event": "end", "environment": "production"]
            let refusal = try await world.client.send("POST", "/admin/v1/pushes", token: admin, body: elsewhere)
            #expect(refusal.status == 409 && refusal.slug == "no-push-route")

            let wrong: JSONValue = ["deviceToken": "8", "event": "dance", "priority": 7]
            let fields = try await world.client.send("POST", "/admin/v1/pushes", token: admin, body: wrong).fieldErrors
            #expect(Set(fields.keys) == ["deviceToken", "event", "priority"])

            let doctor = try await world.client.send("GET", "/admin/v1/doctor", token: admin)
            let connection = doctor.json["checks"].array.first { $0["name"] == "connection (simulator)" }
            #expect(connection?["status"] == "failed" && connection?["remedy"].text.isEmpty == false)
        }
    }

    @Test func `an operator does not push past the dispatcher of a live activity`() async throws {
        try await APIWorld.with(diagnostics: try unreachableAPNs()) { world in
            let admin = try await world.operatorToken(.admin)
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            let id = "0198a1b2-c3d4-7000-8000-00000000abcd"
            let path = "/v1/adventures/\(journey)/activities/\(id)"
            let fields: JSONValue = [
                "deviceID": .string(ada.id), "pushToken": Self.push["deviceToken"], "environment": "simulator",
                "frequentPushesEnabled": true,
            ]
            #expect(try await world.client.send("PUT", path, token: ada.token, body: fields).status == 201)
            let refusal = try await world.client.send("POST", "/admin/v1/pushes", token: admin, body: Self.push)
            #expect(refusal.status == 409 && refusal.slug == "token-of-activity")
            #expect(refusal.json["detail"].text.contains("rangersctl push test --activity \(id)"))
            #expect(try await world.store.auditEntries(limit: 10).allSatisfy { $0.action.rawValue != "push.send" })
            #expect(try await world.client.send("DELETE", path, token: ada.token).status == 204)
            #expect(
                try await world.client.send("POST", "/admin/v1/pushes", token: admin, body: Self.push).status == 200
            )
        }
    }

    @Test func `only admins push, and a node without a provider key has a problem for it`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let refusal = try await world.client.send("POST", "/admin/v1/pushes", token: viewer, body: Self.push)
            #expect(refusal.status == 403)
            let admin = try await world.operatorToken(.admin, name: "Ada")
            let reply = try await world.client.send("POST", "/admin/v1/pushes", token: admin, body: Self.push)
            #expect(reply.slug == "no-push-route")
        }
    }
}
