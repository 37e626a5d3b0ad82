import HTTP2Transport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StreamLimitTests {
    /// The open streams of a server.
    private struct Streams {
        var open: [Int32] = []
        var total = 0
        /// The highest number of streams that were open at the same time.
        var maxOpen = 0

        mutating func opened(_ streamID: Int32) {
            open.append(streamID)
            total += 1
            maxOpen = max(maxOpen, open.count)
        }

        mutating func takeAll() -> [Int32] {
            defer { open = [] }
            return open
        }
    }

    /// The server receives all requests of one read before it sends responses, since `respond` takes effect after them.
    @Test(arguments: [1, 10])
    func `no more requests are in flight than the server allows`(limit: Int) async throws {
        let streams = Recorder(Streams())
        let peer = try TestPeer(maxConcurrentStreams: limit) { request, connection in
            let (total, open) = streams.change { streams in
                streams.opened(request.streamID)
                return (streams.total, streams.open.count)
            }
            // Responds only when the limit is reached.
            if open == limit || total == 200 {
                for streamID in streams.change({ $0.takeAll() }) {
                    connection.respond(streamID, with: HTTP2Response(status: 200))
                }
            }
            return nil
        }
        let client = try await peer.makeWarmClient()
        let outcomes = await client.send((0..<200).map { post("/\($0)", "x") })
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(streams.value.maxOpen == limit)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `one request is in flight until the first response, even if the server allows more`() async throws {
        let paths = Recorder<[String]>([])
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer(maxConcurrentStreams: 100) { request, connection in
            paths.change { $0.append(request.path) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try peer.makeClient()
        async let outcomes = client.send((0..<10).map { post("/\($0)") })
        var iterator = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await iterator.next())
        #expect(paths.value == ["/0"])
        // A response with any status counts.
        connection.respond(streamID, with: HTTP2Response(status: 400))
        // All other requests arrive before any further response.
        var others: [Int32] = []
        for _ in 1..<10 { others.append(try #require(await iterator.next()).1) }
        for streamID in others { connection.respond(streamID, with: HTTP2Response(status: 200)) }
        #expect(await outcomes.map(\.status) == [400] + Array(repeating: 200, count: 9))
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a limit that rises after the first response is used`() async throws {
        let streams = Recorder(Streams())
        let peer = try TestPeer(maxConcurrentStreams: 1) { request, connection in
            let (total, open) = streams.change { streams in
                streams.opened(request.streamID)
                return (streams.total, streams.open.count)
            }
            if total == 1 { connection.setMaxConcurrentStreams(50) }
            if total == 1 || open == 50 {
                for streamID in streams.change({ $0.takeAll() }) {
                    connection.respond(streamID, with: HTTP2Response(status: 200))
                }
            }
            return nil
        }
        let client = try peer.makeClient()
        let outcomes = await client.send((0..<101).map { post("/\($0)", "x") })
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(streams.value.maxOpen == 50)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    /// The server has no window for bodies, and responds to `/big` without its body.
    @Test func `a stream with a response before its body was sent becomes available again`() async throws {
        let peer = try TestPeer(maxConcurrentStreams: 2, windowBytes: 0) { request, connection in
            connection.respond(request.streamID - 2, with: HTTP2Response(status: 413))
            return HTTP2Response(status: 200)
        }
        let client = try await peer.makeWarmClient()
        for _ in 0..<5 {
            #expect(await client.send([post("/big", "x"), post("/small")]).map(\.status) == [413, 200])
        }
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }
}
