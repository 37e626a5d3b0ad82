import Testing

@testable import HTTP2Transport

@Suite(.timeLimit(.minutes(10)))
struct ShutdownTests {
    @Test func `a shutdown lets requests in flight finish, and rejects waiting and later ones`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer(maxConcurrentStreams: 1) { request, connection in
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try peer.makeClient()
        async let outcomes = client.send([post("/in-flight"), post("/waiting")])
        var arrivalsIterator = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await arrivalsIterator.next())

        async let isDown: Void = client.shutDown(within: .seconds(30))
        #expect(await client.send([post("/late")]) == [.neverProcessed(.shutDown)])
        connection.respond(streamID, with: HTTP2Response(status: 200))

        #expect(await outcomes == [.response(HTTP2Response(status: 200)), .neverProcessed(.shutDown)])
        await isDown
        await client.shutDown(within: .zero)
        #expect(await client.send([post("/later")]) == [.neverProcessed(.shutDown)])
        await peer.server.stop()
    }

    @Test func `a request in flight after the grace period has an unknown outcome`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let peer = try TestPeer { _, _ in
            arrived.yield()
            return nil
        }
        let client = try peer.makeClient()
        async let outcomes = client.send([post("/")])
        var iterator = arrivals.makeAsyncIterator()
        await iterator.next()
        await client.shutDown(within: .milliseconds(50))
        #expect(await outcomes == [.unknown(.connection(.closedLocally))])
        await peer.server.stop()
    }

    @Test func `a client without a connection shuts down`() async throws {
        let peer = try TestPeer { _, _ in nil }
        let client = try peer.makeClient()
        await client.shutDown(within: .seconds(30))
        await peer.server.stop()
    }

    @Test func `a released client completes its requests`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (closings, closed) = AsyncStream.makeStream(of: [HTTP2Outcome].self)
        let peer = try TestPeer { _, _ in
            arrived.yield()
            return nil
        }
        var client: HTTP2Client? = try peer.makeClient()
        client?.submit([post("/")]) { closed.yield($0.map(\.outcome)) }
        var arrival = arrivals.makeAsyncIterator()
        await arrival.next()
        client = nil
        var closing = closings.makeAsyncIterator()
        #expect(await closing.next() == [.unknown(.connection(.closedLocally))])
        await peer.server.stop()
    }

    @Test func `a stopped server frees its port`() async throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let identity = try authority.issueIdentity(for: ["127.0.0.1"])
        let handler = ClosureHandler { _, _ in HTTP2Response(status: 200) }
        let first = try HTTP2Server(configuration: .init(identity: identity), handler: handler)
        let port = first.port
        #expect(throws: TransportError.self) {
            try HTTP2Server(configuration: .init(port: port, identity: identity), handler: handler)
        }
        await first.stop()
        let second = try HTTP2Server(configuration: .init(port: port, identity: identity), handler: handler)
        #expect(second.port == port)
        await second.stop()
    }
}
