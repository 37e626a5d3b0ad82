import HTTP2Transport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GoAwayTests {
    /// Responds to the first request, and to the second with GOAWAY only.
    private struct Handler: HTTP2RequestHandler {
        let opened: AsyncStream<HTTP2ServerConnection>.Continuation

        func connectionOpened(_ connection: HTTP2ServerConnection) {
            opened.yield(connection)
        }

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            if request.path == "/first" { return HTTP2Response(status: 200) }
            connection.goAway(errorCode: 11, debugData: Array("calm".utf8))
            return nil
        }
    }

    @Test func `a connection is replaced at once after GOAWAY, which is the reason of its unknown outcomes`()
        async throws
    {
        let authority = try CertificateAuthority(name: "Test authority")
        let (connections, opened) = AsyncStream.makeStream(of: HTTP2ServerConnection.self)
        let server = try HTTP2Server(
            configuration: .init(identity: try authority.issueIdentity(for: ["127.0.0.1"])),
            handler: Handler(opened: opened)
        )
        // A connection is good as soon as it has a response.
        let client = try makeClient(port: server.port, trusting: authority) { $0.stagger = .zero }
        #expect(await client.send(post("/first")).status == 200)
        async let held = client.send(post("/held"))
        var iterator = connections.makeAsyncIterator()
        let first = try #require(await iterator.next())
        // No request waits for the second connection, and the first is still open.
        #expect(await iterator.next()?.id == 2)
        first.close()
        #expect(await held == .unknown(.connection(.goAway(errorCode: 11, debugData: "calm"))))
        await client.shutDown(within: .seconds(5))
        await server.stop()
    }
}
