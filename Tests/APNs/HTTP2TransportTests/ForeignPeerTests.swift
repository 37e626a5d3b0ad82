import HTTP2Transport
import TestSupport
import Testing

/// The client with an independent server, nghttpd.
@Suite(.timeLimit(.minutes(10)))
struct ForeignPeerTests {
    @Test(arguments: [1, 7, 1000])
    func `nghttpd receives every body within its limit of streams`(maxConcurrentStreams: Int) async throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let identity = try authority.issueIdentity(for: ["127.0.0.1"])
        let server = try PeerProcess.nghttpd(identity, maxConcurrentStreams: maxConcurrentStreams)
        let client = try makeClient(port: server.port, trusting: authority)

        let outcomes = await client.send((0..<500).map { post("/\($0)", "body \($0)") })

        let bodies = outcomes.map { outcome -> String? in
            guard case .response(let response) = outcome, response.status == 200 else { return nil }
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(bodies == (0..<500).map { "body \($0)" })
        await client.shutDown(within: .seconds(5))
        server.stop()
    }

    @Test func `every request has an outcome after nghttpd is killed`() async throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let identity = try authority.issueIdentity(for: ["127.0.0.1"])
        let server = try PeerProcess.nghttpd(identity, maxConcurrentStreams: 10)
        let client = try makeClient(port: server.port, trusting: authority) { $0.requestTimeout = .seconds(5) }
        #expect(await client.send([post("/", "x")]).map(\.status) == [200])
        server.stop()
        let outcomes = await client.send((0..<20).map { post("/\($0)", "x") })
        #expect(outcomes.count == 20)
        #expect(outcomes.allSatisfy { $0.status == nil })
        await client.shutDown(within: .seconds(5))
    }
}
