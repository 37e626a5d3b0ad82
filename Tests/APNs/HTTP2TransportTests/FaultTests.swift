import Dispatch
import HTTP2Transport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    /// A deadline that passes in the test, but not before a slow machine has sent a request.
    private var soon: ContinuousClock.Instant { .now + .seconds(1) }

    @Test func `requests above the last stream of a GOAWAY are sent on another connection, and those below finish`()
        async throws
    {
        let held = Recorder<[Int32]>([])
        let seen = Recorder<[Int: [String]]>([:])
        let peer = try TestPeer { request, connection in
            seen.change { $0[connection.id, default: []].append(request.path) }
            guard connection.id == 1 else { return HTTP2Response(status: 200) }
            let streams = held.change { held in
                held.append(request.streamID)
                return held
            }
            if streams.count == 10 {
                connection.goAway(lastStreamID: streams[4], debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
                for streamID in streams.prefix(5) { connection.respond(streamID, with: HTTP2Response(status: 201)) }
            }
            return nil
        }
        let client = try await peer.makeWarmClient()
        let outcomes = await client.send((0..<10).map { post("/\($0)") })
        #expect(outcomes.map(\.status) == [201, 201, 201, 201, 201, 200, 200, 200, 200, 200])
        #expect(seen.value[2]?.sorted() == ["/5", "/6", "/7", "/8", "/9"])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `returned requests precede later ones, in order`() async throws {
        let held = Recorder<[Int32]>([])
        let seen = Recorder<[String]>([])
        let peer = try TestPeer(maxConcurrentStreams: 50) { request, connection in
            guard connection.id == 1 else {
                seen.change { $0.append(request.path) }
                return HTTP2Response(status: 200)
            }
            let count = held.change { held in
                held.append(request.streamID)
                return held.count
            }
            if count == 50 { connection.goAway(lastStreamID: 1) }
            return nil
        }
        let client = try await peer.makeWarmClient()
        #expect(await client.send((0..<100).map { post("/\($0)") }).allSatisfy { $0.status == 200 })
        #expect(seen.value == (0..<100).map { "/\($0)" })
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a GOAWAY without streams in flight opens another connection`() async throws {
        let peer = try TestPeer { request, connection in
            // The client has the GOAWAY before the response.
            connection.goAway()
            connection.respond(
                request.streamID,
                with: HTTP2Response(status: 200, body: Array(String(connection.id).utf8))
            )
            return nil
        }
        let client = try peer.makeClient()
        for id in 1...5 {
            let expected = HTTP2Outcome.response(HTTP2Response(status: 200, body: Array(String(id).utf8)))
            #expect(await client.send([post("/")]) == [expected])
        }
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `any number of responses that end their connection open one other connection`() async throws {
        let peer = try TestPeer { _, connection in
            HTTP2Response(status: connection.id == 1 ? 403 : 200, body: [UInt8(connection.id)])
        }
        let client = try await peer.makeWarmClient { $0.endsConnection = { $0.status == 403 } }
        #expect(await client.send((0..<100).map { post("/\($0)") }).allSatisfy { $0.status == 403 })
        let expected = HTTP2Outcome.response(HTTP2Response(status: 200, body: [2]))
        #expect(await client.send([post("/"), post("/")]) == [expected, expected])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `requests in flight on a connection that breaks have an unknown outcome`() async throws {
        let count = Recorder(0)
        let peer = try TestPeer { _, connection in
            let total = count.change { count in
                count += 1
                return count
            }
            if total == 10 { connection.close() }
            return total > 10 ? HTTP2Response(status: 200) : nil
        }
        let client = try await peer.makeWarmClient()
        let outcomes = await client.send((0..<10).map { post("/\($0)") })
        let areUnknown = outcomes.allSatisfy { outcome in
            if case .unknown(.connection(.lost)) = outcome { true } else { false }
        }
        #expect(areUnknown, "\(outcomes)")
        #expect(await client.send([post("/")]).map(\.status) == [200])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    /// The server has no window for bodies, and closes the first connection.
    @Test func `an unsent request moves to another connection, and its outcome is never unknown`() async throws {
        let peer = try TestPeer(windowBytes: 0) { request, connection in
            guard request.path == "/close" else { return HTTP2Response(status: 200) }
            connection.close()
            return nil
        }
        let client = try await peer.makeWarmClient()
        var body = post("/body", "x")
        body.sendBy = soon
        let outcomes = await client.send([post("/close"), body])
        guard case .unknown(.connection(.lost)) = outcomes[0], case .neverProcessed = outcomes[1] else {
            Issue.record("\(outcomes)")
            return
        }
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a refused stream is retried a limited number of times`() async throws {
        let count = Recorder(0)
        let peer = try TestPeer { request, connection in
            count.change { $0 += 1 }
            guard request.path == "/never" || count.value < 3 else {
                return HTTP2Response(status: 200, body: request.body)
            }
            connection.reset(request.streamID, errorCode: HTTP2ErrorCode.refusedStream)
            return nil
        }
        let client = try peer.makeClient()
        let body = String(repeating: "x", count: 50_000)
        let expected = HTTP2Outcome.response(HTTP2Response(status: 200, body: Array(body.utf8)))
        #expect(await client.send([post("/", body)]) == [expected])
        #expect(count.value == 3)
        let outcomes = await client.send([post("/never")])
        #expect(outcomes == [.neverProcessed(.reset(errorCode: HTTP2ErrorCode.refusedStream))])
        #expect(count.value == 6)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a stream that the server resets has an unknown outcome, and the connection continues`() async throws {
        let peer = try TestPeer { request, connection in
            guard request.path == "/bad" else { return HTTP2Response(status: 200, body: [UInt8(connection.id)]) }
            connection.reset(request.streamID)
            return nil
        }
        let client = try peer.makeClient()
        let outcomes = await client.send([post("/bad"), post("/good")])
        #expect(outcomes[0] == .unknown(.reset(errorCode: HTTP2ErrorCode.internalError)))
        #expect(outcomes[1] == .response(HTTP2Response(status: 200, body: [1])))
        #expect(await client.send([post("/good")]) == [.response(HTTP2Response(status: 200, body: [1]))])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `requests to an unresponsive server end at their deadline`() async throws {
        let peer = try TestPeer { request, _ in request.path == "/slow" ? nil : HTTP2Response(status: 200) }
        let client = try await peer.makeWarmClient()
        let outcomes = await client.send([post("/slow"), post("/slow")], until: soon)
        #expect(outcomes == [.unknown(.timedOut), .unknown(.timedOut)])
        // The streams were reset, and the next request can start.
        #expect(await client.send([post("/")]).map(\.status) == [200])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `requests that wait behind an unresponsive server were never processed`() async throws {
        let peer = try TestPeer(maxConcurrentStreams: 1) { _, _ in nil }
        let client = try await peer.makeWarmClient()
        let outcomes = await client.send([post("/"), post("/")], until: soon)
        #expect(outcomes == [.unknown(.timedOut), .neverProcessed(.timedOut)])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `no request is sent after a timeout while the peer is unresponsive`() async throws {
        let release = DispatchSemaphore(value: 0)
        // The server's only thread blocks.
        let peer = try TestPeer { request, _ in
            guard request.path == "/held" else { return HTTP2Response(status: 200) }
            release.wait()
            return nil
        }
        let client = try await peer.makeWarmClient()
        #expect(await client.send([post("/held")], until: soon) == [.unknown(.timedOut)])
        #expect(await client.send([post("/")], until: soon) == [.neverProcessed(.timedOut)])
        release.signal()
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a connection without a response to PING is closed`() async throws {
        let release = DispatchSemaphore(value: 0)
        // The server's only thread blocks.
        let peer = try TestPeer { _, _ in
            release.wait()
            return nil
        }
        let client = try peer.makeClient {
            $0.pingAfter = .milliseconds(50)
            $0.pingTimeout = .milliseconds(50)
        }
        #expect(await client.send([post("/")]) == [.unknown(.connection(.unresponsive))])
        release.signal()
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `requests to a peer that accepts without a handshake end at their deadlines`() async throws {
        // The kernel accepts the connection; the server's blocked thread does not start the TLS handshake.
        let release = DispatchSemaphore(value: 0)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let peer = try TestPeer { _, _ in
            arrived.yield()
            release.wait()
            return HTTP2Response(status: 200)
        }
        let blocker = try peer.makeClient()
        async let held = blocker.send(post("/"))
        _ = await arrivals.first { true }
        let client = try peer.makeClient {
            $0.connectTimeout = .milliseconds(50)
            $0.requestTimeout = .seconds(2)
        }
        #expect(await client.send([post("/")]) == [.neverProcessed(.connection(.connectTimedOut))])
        release.signal()
        #expect(await held.status == 200)
        await blocker.shutDown(within: .seconds(5))
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a caller's deadline applies to requests in flight and to waiting ones, regardless of earlier requests`()
        async throws
    {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let peer = try TestPeer(maxConcurrentStreams: 2) { request, connection in
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try await peer.makeWarmClient { $0.maxConnections = 1 }
        async let first = client.send([post("/long-timeout")])
        var arrival = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await arrival.next())
        let short = await client.send((0..<2).map { post("/short/\($0)") }, until: soon)
        #expect(short == [.unknown(.timedOut), .neverProcessed(.timedOut)])
        connection.respond(streamID, with: HTTP2Response(status: 200))
        #expect(await first.map(\.status) == [200])
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `the outcome names a refused connection`() async throws {
        let peer = try TestPeer { _, _ in nil }
        await peer.server.stop()
        let client = try peer.makeClient()
        let outcome = try #require(await client.send([post("/")], until: soon).first)
        guard case .neverProcessed(.connection(.refused(let address, _))) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(address == "127.0.0.1:\(peer.server.port)")
        await client.shutDown(within: .seconds(5))
    }

    @Test func `the outcome names a host that does not exist`() async throws {
        let authority = try CertificateAuthority(name: "Test authority")
        let client = try makeClient(host: "no-such-host.invalid", port: 443, trusting: authority)
        let outcome = try #require(await client.send([post("/")], until: soon).first)
        // Without a reachable resolver the deadline may come first.
        let isReported =
            if case .neverProcessed(.connection(.unresolved)) = outcome {
                true
            } else {
                outcome == .neverProcessed(.timedOut)
            }
        #expect(isReported, "\(outcome)")
        await client.shutDown(within: .zero)
    }
}
