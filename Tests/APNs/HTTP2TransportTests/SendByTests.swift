import Dispatch
import Testing

@testable import HTTP2Transport

@Suite(.timeLimit(.minutes(10)))
struct SendByTests {
    private func timed(_ path: String, _ body: String, by sendBy: ContinuousClock.Instant) -> HTTP2ClientRequest {
        HTTP2ClientRequest(method: "POST", path: path, body: Array(body.utf8), sendBy: sendBy)
    }

    @Test func `a request that does not start by sendBy is never sent, and ends before its deadline`() async throws {
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
        // The only stream is in use.
        #expect(await client.send(late) == .neverProcessed(.tooLate))
        connection.respond(streamID, with: HTTP2Response(status: 200))

        #expect(await first.status == 200)
        #expect(await client.send(post("/next")).status == 200)
        #expect(paths.value == ["/first", "/next"])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a stream without a sent body byte at sendBy is reset, and was never processed`() async throws {
        let paths = Recorder<[String]>([])
        // The server has no window for bodies.
        let peer = try TestPeer(maxConcurrentStreams: 1, windowBytes: 0) { request, _ in
            paths.change { $0.append(request.path) }
            return HTTP2Response(status: 200)
        }
        let client = try await peer.makeWarmClient()
        let late = timed("/late", "x", by: .now + .milliseconds(100))
        #expect(await client.send(late) == .neverProcessed(.tooLate))
        // The stream is available again.
        #expect(await client.send(post("/next")).status == 200)
        #expect(paths.value == ["/next"])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a stream with a partly sent body at sendBy is reset, and its outcome is unknown`() async throws {
        let paths = Recorder<[String]>([])
        let release = DispatchSemaphore(value: 0)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        // The server's only thread blocks, and does not extend the window.
        let peer = try TestPeer(windowBytes: 65_535) { request, _ in
            paths.change { $0.append(request.path) }
            guard request.path == "/held" else { return HTTP2Response(status: 200) }
            arrived.yield()
            release.wait()
            return HTTP2Response(status: 200)
        }
        let client = try await peer.makeWarmClient()
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

    @Test func `a response may arrive after sendBy`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer { request, connection in
            guard request.path == "/held" else { return HTTP2Response(status: 200) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try await peer.makeWarmClient()
        // Enough time to send the request on a slow machine.
        let sendBy = ContinuousClock.now + .seconds(2)
        async let outcome = client.send(timed("/held", "x", by: sendBy))
        var iterator = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await iterator.next())
        // Other requests until the time has passed.
        while sendBy > .now { #expect(await client.send(post("/")).status == 200) }
        connection.respond(streamID, with: HTTP2Response(status: 200))
        #expect(await outcome.status == 200)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a late request ends before earlier ones that still wait`() async throws {
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

        let (waitingOutcomes, waitingDone) = AsyncStream.makeStream(of: [HTTP2Outcome].self)
        client.submit([post("/waiting")]) { waitingDone.yield($0.map(\.outcome)) }
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

    @Test func `the outcome of a late request without a connection is the connection's error`() async throws {
        let peer = try TestPeer { _, _ in nil }
        await peer.server.stop()
        let client = try peer.makeClient()
        // On a busy machine, a request may be late before the first connection is refused, and another one gets more time.
        var outcome = HTTP2Outcome.neverProcessed(.tooLate)
        for limit in [Duration.milliseconds(300), .seconds(3), .seconds(30)] {
            guard outcome == .neverProcessed(.tooLate) else { break }
            var late = post("/")
            late.sendBy = .now + limit
            outcome = await client.send(late)
        }
        guard case .neverProcessed(.connection(.refused)) = outcome else {
            Issue.record("\(outcome) does not name the refused connection")
            return
        }
        await client.shutDown(within: .seconds(5))
    }

    @Test func `a request with a past sendBy is not sent, and one with a future sendBy is`() async throws {
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
