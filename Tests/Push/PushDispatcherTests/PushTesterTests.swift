import APNsClient
import Cryptography
import Encodings
import Foundation
import GameCore
import GameStore
import HTTP2Transport
import Logging
import PushCadence
import ServiceRuntime
import Synchronization
import Testing

@testable import PushDispatcher

/// How the ways to APNs are tried.
@Suite struct PushTesterTests {
    /// Answers nobody until as many have asked as there are ways: who asked one after another would wait in vain.
    private final class Meeting: HTTP2RequestHandler {
        private let ways: Int
        private let waiting = Mutex<[(HTTP2ServerConnection, Int32)]>([])

        init(of ways: Int) {
            self.ways = ways
        }

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            let all = waiting.withLock { waiting in
                waiting.append((connection, request.streamID))
                return waiting.count < ways ? [] : waiting
            }
            let refusal = HTTP2Response(status: 400, body: Array(#"{"reason":"BadDeviceToken"}"#.utf8))
            for (connection, streamID) in all { connection.respond(streamID, with: refusal) }
            return nil
        }
    }

    @Test func `all ways are tried at once, and told of in the order of the environments`() async throws {
        let authority = try CertificateAuthority(name: "Test", validDays: 1)
        let environments = PushEnvironment.allCases
        let server = try HTTP2Server(
            configuration: .init(host: "127.0.0.1", port: 0, identity: try authority.issueIdentity(for: ["127.0.0.1"])),
            handler: Meeting(of: environments.count)
        )
        let caFile = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID()).pem")
        try authority.certificatePEM.write(to: caFile, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: caFile) }
        let clients = try Dictionary(
            uniqueKeysWithValues: environments.map { environment in
                var configuration = APNsClient.Configuration(
                    environment: .simulator,
                    host: "127.0.0.1",
                    port: server.port,
                    caFile: caFile.path(percentEncoded: false),
                    providerKey: try ProviderKey(
                        pem: try P256PrivateKey.generate().pem,
                        keyID: "TESTKEY001",
                        teamID: "TESTTEAM01"
                    )
                )
                // As patient as a busy machine needs.
                configuration.requestTimeout = .seconds(60)
                let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let client = try APNsClient(configuration: configuration, now: { 1_790_000_000 }, logger: logger)
                return (environment, client)
            }
        )
        let tester = PushTester(
            clients: clients,
            settings: DispatcherSettings(policy: CadencePolicy(), bundleID: "com.example.rangers"),
            runtime: Runtime(now: { Timestamp(epochSeconds: 1_790_000_000) }, randomBits: { 7 })
        )
        let findings = try await withThrowingTaskGroup { group in
            for client in clients.values { group.addTask { try await client.run() } }
            defer { group.cancelAll() }
            return try await tester.examineRoutes()
        }
        let expected = environments.flatMap { environment in
            ["connection", "provider key", "topic"].map { "\($0) (\(environment.rawValue))" }
        }
        #expect(findings.map(\.name) == expected)
        #expect(findings.allSatisfy { $0.state == .fine })
        await server.stop()
    }
}
