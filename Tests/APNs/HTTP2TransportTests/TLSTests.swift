import Foundation
import HTTP2Transport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TLSTests {
    /// Returns the outcome of a request, with a short timeout.
    private func outcome(
        host: String = "127.0.0.1",
        port: Int,
        trusting authority: CertificateAuthority
    ) async throws -> HTTP2Outcome? {
        let client = try makeClient(host: host, port: port, trusting: authority) {
            $0.requestTimeout = .seconds(1)
        }
        let outcomes = await client.send([post("/")])
        await client.shutDown(within: .zero)
        return outcomes.first
    }

    private func handshakeFailure(_ outcome: HTTP2Outcome?) -> String? {
        guard case .neverProcessed(.connection(.handshakeFailed(let reason))) = outcome else { return nil }
        return reason
    }

    @Test func `a server with an unknown authority is rejected`() async throws {
        let peer = try TestPeer { _, _ in HTTP2Response(status: 200) }
        let other = try CertificateAuthority(name: "Someone else")
        let outcome = try await outcome(port: peer.server.port, trusting: other)
        let reason = try #require(handshakeFailure(outcome))
        #expect(reason.contains("unable to get local issuer certificate"))
        await peer.server.stop()
    }

    @Test func `the system's authorities do not include a private one`() async throws {
        let peer = try TestPeer { _, _ in HTTP2Response(status: 200) }
        let client = try peer.makeClient {
            $0.trust = .system
            $0.requestTimeout = .seconds(1)
        }
        let outcome = await client.send([post("/")]).first
        #expect(handshakeFailure(outcome) != nil, "\(String(describing: outcome))")
        await peer.server.stop()
    }

    @Test(arguments: [["api.push.apple.com"], ["127.0.0.2"], ["*.0.0.1"]])
    func `a certificate for another host is rejected`(hosts: [String]) async throws {
        let peer = try TestPeer(for: hosts) { _, _ in HTTP2Response(status: 200) }
        let outcome = try await outcome(port: peer.server.port, trusting: peer.authority)
        #expect(handshakeFailure(outcome)?.contains("mismatch") == true, "\(String(describing: outcome))")
        await peer.server.stop()
    }

    @Test func `a certificate for an address is not valid for a name`() async throws {
        let peer = try TestPeer(for: ["127.0.0.1"]) { _, _ in HTTP2Response(status: 200) }
        let outcome = try await outcome(host: "localhost", port: peer.server.port, trusting: peer.authority)
        #expect(handshakeFailure(outcome)?.contains("mismatch") == true, "\(String(describing: outcome))")
        await peer.server.stop()
    }

    @Test func `a certificate with the server's name is accepted`() async throws {
        let peer = try TestPeer(for: ["localhost"]) { _, _ in HTTP2Response(status: 200) }
        let client = try makeClient(host: "localhost", port: peer.server.port, trusting: peer.authority)
        #expect(await client.send([post("/")]).map(\.status) == [200])
        await client.shutDown(within: .zero)
        await peer.server.stop()
    }

    @Test func `TLS 1_1 is rejected`() async throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let server = try PeerProcess.openSSL(
            try authority.issueIdentity(for: ["127.0.0.1"]),
            options: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-alpn", "h2"]
        )
        let outcome = try await outcome(port: server.port, trusting: authority)
        #expect(handshakeFailure(outcome)?.contains("protocol version") == true, "\(String(describing: outcome))")
        server.stop()
    }

    @Test func `a file of authorities is trusted, and a missing one is an error`() async throws {
        let peer = try TestPeer { _, _ in HTTP2Response(status: 200) }
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: TransportError.self) { try peer.makeClient { $0.trust = .file(path: path) } }
        try peer.authority.certificatePEM.write(toFile: path, atomically: true, encoding: .utf8)
        let client = try peer.makeClient { $0.trust = .file(path: path) }
        #expect(await client.send([post("/")]).map(\.status) == [200])
        await client.shutDown(within: .zero)
        await peer.server.stop()
    }
}
