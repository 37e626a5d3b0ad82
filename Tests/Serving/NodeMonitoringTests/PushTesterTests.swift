import APNsClient
import Cryptography
import Encodings
import Foundation
import GameCore
import HTTP2Transport
import Logging
import NodeMonitoring
import PartyAPI
import PushCadence
import PushDispatcher
import ServiceRuntime
import Synchronization
import Testing

/// Tests of the checks of APNs environments.
@Suite struct PushTesterTests {
    /// A handler that responds only after a request of each environment has arrived: sequential requests get no
    /// response.
    private final class Barrier: HTTP2RequestHandler {
        private let environmentCount: Int
        private let waiting = Mutex<[(HTTP2ServerConnection, Int32)]>([])

        init(of environmentCount: Int) {
            self.environmentCount = environmentCount
        }

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            let all = waiting.withLock { waiting in
                waiting.append((connection, request.streamID))
                return waiting.count < environmentCount ? [] : waiting
            }
            let rejection = HTTP2Response(status: 400, body: Array(#"{"reason":"BadDeviceToken"}"#.utf8))
            for (connection, streamID) in all { connection.respond(streamID, with: rejection) }
            return nil
        }
    }

    @Test func `all environments are tested concurrently, and reported in the order of the environments`() async throws
    {
        let authority = try CertificateAuthority(name: "Test", validDays: 1)
        let environments = PushEnvironment.allCases
        let server = try HTTP2Server(
            configuration: .init(host: "127.0.0.1", port: 0, identity: try authority.issueIdentity(for: ["127.0.0.1"])),
            handler: Barrier(of: environments.count)
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
                // Long enough for a busy machine.
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
        let checks = try await withThrowingTaskGroup { group in
            for client in clients.values { group.addTask { try await client.run() } }
            defer { group.cancelAll() }
            return try await tester.checkEnvironments()
        }
        let expected = environments.flatMap { environment in
            ["connection", "provider key", "topic"].map { "\($0) (\(environment.rawValue))" }
        }
        #expect(checks.map(\.name) == expected)
        #expect(checks.allSatisfy { $0.status == .ok })
        await server.stop()
    }
}
