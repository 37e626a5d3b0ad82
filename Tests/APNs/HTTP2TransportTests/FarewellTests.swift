import HTTP2Transport
import Testing

/// What a server says before it goes is heard, also by a client that is in the middle of sending.
@Suite(.timeLimit(.minutes(1)))
struct FarewellTests {
    @Test func `answers and a GOAWAY before a reset are not lost to what could not be sent any more`() async throws {
        let reason = #"{"reason":"IdleTimeout"}"#
        let streams = Recorder<[Int32]>([])
        let peer = try TestPeer { request, connection in
            streams.change { $0.append(request.streamID) }
            switch streams.value.count {
            case 700:
                for stream in streams.value { connection.respond(stream, with: HTTP2Response(status: 200)) }
                // It may have all streams in this number, and so processes what comes until it closes.
                connection.goAway(lastStreamID: .max, debugData: Array(reason.utf8))
                return nil
            case 950:
                // Much of what the client has sent is unread then: it gets a reset.
                connection.close()
                return nil
            case 951...:
                return HTTP2Response(status: 200)
            default:
                return nil
            }
        }
        let client = try await peer.makeAnsweredClient()
        let body = [UInt8](repeating: 120, count: 4096)
        let requests = (0..<3000).map { HTTP2ClientRequest(method: "POST", path: "/\($0)", body: body) }
        let outcomes = await client.send(requests)
        let goAway = HTTP2Outcome.unknown(.connection(.goAway(errorCode: 0, debugData: reason)))
        let others = outcomes.filter { $0.status != 200 && $0 != goAway }
        #expect(others.isEmpty, "\(others.prefix(3)), \(others.count) of them")
        // What was answered is known.
        #expect(outcomes.prefix(700).allSatisfy { $0.status == 200 })
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `of two GOAWAYs the later one says why`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: HTTP2ServerConnection.self)
        let peer = try TestPeer { request, connection in
            guard request.path == "/held" else { return HTTP2Response(status: 200) }
            arrived.yield(connection)
            return nil
        }
        let client = try await peer.makeAnsweredClient()
        async let held = client.send(post("/held"))
        var arrival = arrivals.makeAsyncIterator()
        let connection = try #require(await arrival.next())
        connection.goAway(lastStreamID: .max)
        connection.goAway(debugData: Array("Shutdown".utf8))
        // On another connection: both are known.
        while await client.send(post("/other")).status != 200 {}
        connection.close()
        #expect(await held == .unknown(.connection(.goAway(errorCode: 0, debugData: "Shutdown"))))
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }
}
