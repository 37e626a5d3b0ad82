import HTTP2Transport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SendByTests {
    @Test func `what is not started in time is never sent, and says so before its deadline`() async throws {
        let paths = Recorder<[String]>([])
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer(maxConcurrentStreams: 1) { request, connection in
            paths.change { $0.append(request.path) }
            guard request.path == "/first" else { return HTTP2Response(status: 200) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try peer.makeClient()
        async let first = client.send(post("/first"))
        var arrival = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await arrival.next())

        var late = post("/late")
        late.sendBy = .now + .milliseconds(20)
        // The one stream is taken, and stays so until this is told.
        #expect(await client.send(late) == .neverProcessed(.tooLate))
        connection.respond(streamID, with: HTTP2Response(status: 200))

        #expect(await first.status == 200)
        #expect(await client.send(post("/next")).status == 200)
        #expect(paths.value == ["/first", "/next"])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a time that has passed is too late, one to come is none`() async throws {
        let paths = Recorder<[String]>([])
        let peer = try TestPeer { request, _ in
            paths.change { $0.append(request.path) }
            return HTTP2Response(status: 200)
        }
        let client = try peer.makeClient()
        var requests = ["/a", "/b", "/c"].map { post($0) }
        requests[1].sendBy = .now
        requests[2].sendBy = .now + .seconds(60)
        let outcomes = await client.send(requests)
        #expect(outcomes.map(\.status) == [200, nil, 200])
        #expect(outcomes[1] == .neverProcessed(.tooLate))
        #expect(paths.value == ["/a", "/c"])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }
}
