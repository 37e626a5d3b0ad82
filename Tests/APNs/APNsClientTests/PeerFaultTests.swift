import APNsClient
import Cryptography
import Foundation
import HTTP2Transport
import TestSupport
import Testing

/// Faults of a server in another process.
@Suite(.timeLimit(.minutes(10)))
struct PeerFaultTests {
    /// Runs a closure with a client of a `faulty-peer` process.
    private func withPeer(
        _ fault: String...,
        clockOffSeconds: Int64 = 0,
        _ body: (APNsClient) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let peer = try PeerProcess.faulty(try authority.issueIdentity(for: ["127.0.0.1"]), fault)
        defer { peer.stop() }
        let caFile = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        try authority.certificatePEM.write(to: caFile, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: caFile) }
        let configuration = APNsClient.Configuration(
            environment: .simulator,
            port: peer.port,
            caFile: caFile.path,
            providerKey: try makeProviderKey()
        )
        let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) + clockOffSeconds }
        try await body(try APNsClient(configuration: configuration, now: now, logger: quiet))
    }

    @Test(arguments: [
        (500, APNsReason.internalServerError), (503, .serviceUnavailable), (429, .tooManyRequests),
    ])
    func `every push is rejected once, with the same reason, if APNs rejects all`(
        status: Int,
        reason: APNsReason
    ) async throws {
        try await withPeer("storm", "\(status)", reason.text) { client in
            let outcomes = await client.send(try (0..<2000).map { try makePush($0) })
            let rejected = APNsOutcome.rejected(APNsRejection(status: status, reason: reason))
            #expect(outcomes == Array(repeating: rejected, count: 2000))
        }
    }

    @Test func `a clock that is an hour slow causes one rejection and loses no push`() async throws {
        try await withPeer("tokens", clockOffSeconds: -3700) { client in
            for numbers in [0..<1, 1..<500, 500..<1000] {
                let pushes = try numbers.map { try makePush($0) }
                let outcomes = await client.send(pushes)
                #expect(outcomes == pushes.map { .accepted(apnsID: $0.id, uniqueID: "ABC123DEFG 1") })
            }
        }
    }

    @Test func `a change of the key during a thousand pushes loses none`() async throws {
        try await withPeer("tokens") { client in
            let pushes = try (0..<1000).map { try makePush($0) }
            let pem = try P256PrivateKey.generate().pem
            let next = try ProviderKey(pem: pem, keyID: "NEXTKEY123", teamID: "DEF123GHIJ")
            async let outcomes = client.send(pushes)
            try await client.use(next)
            for (push, outcome) in zip(pushes, await outcomes) {
                guard case .accepted(let apnsID, let text) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(apnsID == push.id)
                #expect(["ABC123DEFG 0", "NEXTKEY123 0"].contains(text))
            }
            #expect(await client.send(pushes[0]) == .accepted(apnsID: pushes[0].id, uniqueID: "NEXTKEY123 0"))
        }
    }
}
