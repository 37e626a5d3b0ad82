import HTTP2Transport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PoolTests {
    /// Streams without a response.
    private typealias Held = [(connection: HTTP2ServerConnection, streamID: Int32)]

    /// Returns a server that responds when it has `count` requests at a time, and records its connections.
    private func makePeer(
        streams: Int,
        respondingAfter count: Int,
        connections: Recorder<Set<Int>>
    ) throws -> TestPeer {
        let held = Recorder<Held>([])
        return try TestPeer(maxConcurrentStreams: streams) { request, connection in
            connections.change { _ = $0.insert(connection.id) }
            let all = held.change { held -> Held in
                held.append((connection, request.streamID))
                guard held.count == count else { return [] }
                defer { held = [] }
                return held
            }
            for (connection, streamID) in all { connection.respond(streamID, with: HTTP2Response(status: 200)) }
            return nil
        }
    }

    @Test func `requests that wait for a stream open further connections, up to the limit`() async throws {
        let connections = Recorder<Set<Int>>([])
        // One stream for each connection and no response before three requests: three connections are needed.
        let peer = try makePeer(streams: 1, respondingAfter: 3, connections: connections)
        let client = try peer.makeClient {
            $0.maxConnections = 3
            $0.growAfter = .milliseconds(1)
            $0.stagger = .milliseconds(1)
        }
        #expect(await client.send((0..<9).map { post("/\($0)", "x") }).allSatisfy { $0.status == 200 })
        #expect(connections.value == [1, 2, 3])
        let statistics = await client.statistics()
        #expect(statistics.connections == 3)
        #expect(statistics.queued == 0)
        #expect(statistics.blockedOnStreams > 0)
        #expect(statistics.blockedOnWindow == 0)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `requests with available streams open no further connection`() async throws {
        let connections = Recorder<Set<Int>>([])
        let peer = try makePeer(streams: 100, respondingAfter: 100, connections: connections)
        let client = try await peer.makeWarmClient {
            $0.maxConnections = 4
            $0.growAfter = .zero
            $0.stagger = .zero
        }
        for _ in 0..<5 {
            #expect(await client.send((0..<100).map { post("/\($0)", "x") }).allSatisfy { $0.status == 200 })
        }
        #expect(connections.value == [1])
        let statistics = await client.statistics()
        #expect(statistics.connections == 1)
        #expect(statistics.blockedOnStreams == 0 && statistics.blockedOnWindow == 0)
        await client.shutDown(within: .seconds(5))
        #expect(await client.statistics().connections == 0)
        await peer.server.stop()
    }

    @Test func `a short deadline does not open a further connection earlier`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer(maxConcurrentStreams: 1) { request, connection in
            guard request.path == "/held" else { return HTTP2Response(status: 200) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try await peer.makeWarmClient {
            $0.maxConnections = 2
            $0.requestTimeout = .seconds(600)
            $0.growAfter = .seconds(60)
            $0.stagger = .zero
        }
        async let held = client.send(post("/held"))
        var arrival = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await arrival.next())

        async let waiting = client.send(post("/waiting"), until: .now + .seconds(60))
        try await eventually("the request waits for the stream") { await client.statistics().blockedOnStreams > 0 }
        let statistics = await client.statistics()
        #expect(statistics.connections == 1 && statistics.otherConnections == 0)

        connection.respond(streamID, with: HTTP2Response(status: 200))
        #expect(await held.status == 200)
        #expect(await waiting.status == 200)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `the end of one connection of several affects only its own requests`() async throws {
        let held = Recorder<Held>([])
        let peer = try TestPeer(maxConcurrentStreams: 1) { request, connection in
            if request.path == "/later" { return HTTP2Response(status: 200) }
            let all = held.change { held -> Held in
                held.append((connection, request.streamID))
                return held
            }
            if all.count == 2 {
                all[0].connection.close()
                all[1].connection.respond(all[1].streamID, with: HTTP2Response(status: 200))
            }
            return nil
        }
        let client = try peer.makeClient {
            $0.maxConnections = 2
            $0.growAfter = .milliseconds(1)
            $0.stagger = .milliseconds(1)
        }
        let outcomes = await client.send([post("/a"), post("/b")])
        #expect(outcomes.filter { $0.status == 200 }.count == 1)
        #expect(outcomes.filter { $0.status == nil }.count == 1)
        #expect(await client.send([post("/later"), post("/later")]).allSatisfy { $0.status == 200 })
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `bodies that use up the window make the next request wait`() async throws {
        let peer = try TestPeer(windowBytes: 65_535) { request, _ in HTTP2Response(status: 200) }
        let client = try peer.makeClient()
        let body = String(repeating: "x", count: 200_000)
        #expect(await client.send((0..<5).map { post("/\($0)", body) }).allSatisfy { $0.status == 200 })
        let statistics = await client.statistics()
        #expect(statistics.blockedOnWindow > 0)
        #expect(statistics.blockedOnStreams == 0)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }
}
