import HTTP2Transport
import Testing

/// Frames that a server sends before it closes a connection are processed even if the client is sending.
@Suite(.timeLimit(.minutes(10)))
struct CloseReasonTests {
    @Test func `responses and a GOAWAY before a TCP reset are received although a write fails`() async throws {
        let reason = #"{"reason":"IdleTimeout"}"#
        let streams = Recorder<[Int32]>([])
        let peer = try TestPeer { request, connection in
            streams.change { $0.append(request.streamID) }
            switch streams.value.count {
            case 700:
                for stream in streams.value { connection.respond(stream, with: HTTP2Response(status: 200)) }
                // This GOAWAY drops no stream, so the server processes requests until it closes the connection.
                connection.goAway(lastStreamID: .max, debugData: Array(reason.utf8))
                return nil
            case 950:
                // Unread bytes of the client make this a TCP reset.
                connection.close()
                return nil
            case 951...:
                return HTTP2Response(status: 200)
            default:
                return nil
            }
        }
        let client = try await peer.makeWarmClient()
        let body = [UInt8](repeating: 120, count: 4096)
        let requests = (0..<3000).map { HTTP2ClientRequest(method: "POST", path: "/\($0)", body: body) }
        let outcomes = await client.send(requests)
        let goAway = HTTP2Outcome.unknown(.connection(.goAway(errorCode: 0, debugData: reason)))
        let others = outcomes.filter { $0.status != 200 && $0 != goAway }
        #expect(others.isEmpty, "\(others.prefix(3)), \(others.count) of them")
        // All responses were received.
        #expect(outcomes.prefix(700).allSatisfy { $0.status == 200 })
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `the later of two GOAWAYs gives the reason`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (Int32, HTTP2ServerConnection).self)
        let peer = try TestPeer { request, connection in
            arrived.yield((request.streamID, connection))
            return nil
        }
        let client = try await peer.makeWarmClient()
        var arrival = arrivals.makeAsyncIterator()
        async let answered = client.send(post("/answered"))
        let (answeredStream, connection) = try #require(await arrival.next())
        async let held = client.send(post("/held"))
        _ = try #require(await arrival.next())
        connection.goAway(lastStreamID: .max)
        connection.goAway(debugData: Array("Shutdown".utf8))
        // The client reads this response after both, so it has both when the connection closes.
        connection.respond(answeredStream, with: HTTP2Response(status: 200))
        #expect(await answered.status == 200)
        connection.close()
        #expect(await held == .unknown(.connection(.goAway(errorCode: 0, debugData: "Shutdown"))))
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }
}
