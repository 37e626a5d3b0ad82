import Floods
import HTTP2Transport
import Testing

@testable import HTTPServing

/// Clients over HTTP/2 that cost more than they are worth.
@Suite(.timeLimit(.minutes(10)))
struct FloodTests {
    private static let loud = Flood.allCases.filter { !$0.isSilent }
    private static let long = Duration.seconds(600)

    private func identity() throws -> ServerTLSContext {
        let identity = try CertificateAuthority(name: "Test authority").issueIdentity(for: ["127.0.0.1"])
        return ServerTLSContext(
            try ServerIdentity(certificates: identity.certificateChainPEM, key: identity.privateKeyPEM)
        )
    }

    private func end(of flood: Flood, _ limits: ServingLimits) async throws -> FloodRun.End {
        try await TestServer.with(limits, tls: try identity()) { server in
            try await FloodRun.run(flood, port: server.port, maxFrames: 1_000_000, limit: .seconds(120)).end
        }
    }

    private func isCut(_ end: FloodRun.End) -> Bool {
        guard case .cut = end else { return false }
        return true
    }

    @Test(arguments: loud)
    func `a flood of frames is cut`(_ flood: Flood) async throws {
        // Without a timeout that would cut the flood anyway.
        let limits = ServingLimits(bodyTimeout: Self.long, requestTimeout: Self.long, idleTimeout: Self.long)
        let end = try await end(of: flood, limits)
        #expect(isCut(end), "\(end)")
    }

    @Test(arguments: [Flood.halfHeader, .halfHeaderBesideRequest])
    func `half a header is cut at the header timeout, whatever is in flight`(_ flood: Flood) async throws {
        let limits = ServingLimits(
            headerTimeout: .seconds(2),
            bodyTimeout: Self.long,
            requestTimeout: Self.long,
            idleTimeout: Self.long
        )
        let end = try await end(of: flood, limits)
        #expect(isCut(end), "\(end)")
    }

    @Test func `streams whose client opens no window are reset at the send timeout`() async throws {
        let end = try await end(of: .slowReader, ServingLimits(sendTimeout: .seconds(2), idleTimeout: Self.long))
        #expect(end == .streamsReset)
    }
}
