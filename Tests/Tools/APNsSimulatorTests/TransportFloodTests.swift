import Floods
import HTTP2Transport
import Testing

/// Clients of the simulator's server that cost more than they are worth.
@Suite(.timeLimit(.minutes(10)))
struct TransportFloodTests {
    private struct AcceptingHandler: HTTP2RequestHandler {
        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            HTTP2Response(status: 200)
        }
    }

    @Test(arguments: Flood.allCases.filter { !$0.isSilent })
    func `a flood of frames is cut`(_ flood: Flood) async throws {
        let identity = try CertificateAuthority(name: "Test authority").issueIdentity(for: ["127.0.0.1"])
        let server = try HTTP2Server(configuration: .init(identity: identity), handler: AcceptingHandler())
        let run = try await FloodRun.run(flood, port: server.port, maxFrames: 1_000_000, limit: .seconds(120))
        guard case .cut = run.end else {
            Issue.record("\(run.end)")
            return
        }
        await server.stop()
    }
}
