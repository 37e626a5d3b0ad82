import Dispatch
import Testing

@testable import HTTP2Transport

@Suite(.timeLimit(.minutes(1)))
struct SendByTests {
    private func timed(_ path: String, _ body: String, by sendBy: ContinuousClock.Instant) -> HTTP2ClientRequest {
        HTTP2ClientRequest(method: "POST", path: path, body: Array(body.utf8), sendBy: sendBy)
    }

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

    @Test func `a stream of whose body nothing is sent in time is reset, and was never processed`() async throws {
        let paths = Recorder<[String]>([])
        // The server gives no room for bodies.
        let peer = try TestPeer(maxConcurrentStreams: 1, windowBytes: 0) { request, _ in
            paths.change { $0.append(request.path) }
            return HTTP2Response(status: 200)
        }
        let client = try await peer.makeAnsweredClient()
        let late = timed("/late", "x", by: .now + .milliseconds(100))
        #expect(await client.send(late) == .neverProcessed(.tooLate))
        // Its stream is free again.
        #expect(await client.send(post("/next")).status == 200)
        #expect(paths.value == ["/next"])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a stream whose body is sent in part in time is reset, and unknown`() async throws {
        let paths = Recorder<[String]>([])
        let release = DispatchSemaphore(value: 0)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        // The server's only thread stands still, and gives no more room than it began with.
        let peer = try TestPeer(windowBytes: 65_535) { request, _ in
            paths.change { $0.append(request.path) }
            guard request.path == "/held" else { return HTTP2Response(status: 200) }
            arrived.yield()
            release.wait()
            return HTTP2Response(status: 200)
        }
        let client = try await peer.makeAnsweredClient()
        async let held = client.send(post("/held"))
        var iterator = arrivals.makeAsyncIterator()
        await iterator.next()
        let late = timed("/late", String(repeating: "x", count: 100_000), by: .now + .milliseconds(100))
        #expect(await client.send(late) == .unknown(.tooLate))
        release.signal()
        #expect(await held.status == 200)
        #expect(await client.send(post("/next")).status == 200)
        #expect(paths.value == ["/held", "/next"])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `an answer may come after the time to send by`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer { request, connection in
            guard request.path == "/held" else { return HTTP2Response(status: 200) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try await peer.makeAnsweredClient()
        // Time enough to be sent on a slow machine.
        let sendBy = ContinuousClock.now + .seconds(2)
        async let outcome = client.send(timed("/held", "x", by: sendBy))
        var iterator = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await iterator.next())
        // Others pass the time until it is over.
        while sendBy > .now { #expect(await client.send(post("/")).status == 200) }
        connection.respond(streamID, with: HTTP2Response(status: 200))
        #expect(await outcome.status == 200)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `what is late is told so behind others that are not`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer(maxConcurrentStreams: 1) { request, connection in
            guard request.path == "/first" else { return HTTP2Response(status: 200) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try peer.makeClient()
        async let first = client.send(post("/first"))
        var arrival = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await arrival.next())

        let (waitingOutcomes, waitingTold) = AsyncStream.makeStream(of: [HTTP2Outcome].self)
        client.submit(.batch([post("/waiting")]) { waitingTold.yield($0) })
        var late = post("/late")
        late.sendBy = .now + .milliseconds(20)
        #expect(await client.send(late) == .neverProcessed(.tooLate))
        connection.respond(streamID, with: HTTP2Response(status: 200))

        var waiting = waitingOutcomes.makeAsyncIterator()
        #expect(await waiting.next()?.map(\.status) == [200])
        #expect(await first.status == 200)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `what is late since there is no connection says why there is none`() async throws {
        let peer = try TestPeer { _, _ in nil }
        await peer.server.stop()
        let client = try peer.makeClient()
        var late = post("/")
        late.sendBy = .now + .milliseconds(300)
        guard case .neverProcessed(.connection(.refused)) = await client.send(late) else {
            Issue.record("it does not say that nobody listens")
            return
        }
        await client.shutDown(within: .seconds(5))
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
