import Testing

@testable import HTTP2Transport

@Suite(.timeLimit(.minutes(10)))
struct ConcurrencyLimitTests {
    @Test func `a client limits its outstanding requests, and sends waiting ones in order`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let inFlight = Recorder(0)
        let maxInFlight = Recorder(0)
        let peer = try TestPeer { request, connection in
            inFlight.change { $0 += 1 }
            let count = inFlight.value
            maxInFlight.change { $0 = max($0, count) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try await peer.makeWarmClient { $0.maxOutstandingRequests = 3 }
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<10 { group.addTask { await client.send(post("/\(number)")).status } }
            var held: [(HTTP2ServerConnection, Int32)] = []
            var left = 10
            for await arrival in arrivals.prefix(10) {
                held.append(arrival)
                // All accepted requests have arrived; the server would allow more streams.
                guard held.count == min(3, left) else { continue }
                for (connection, streamID) in held {
                    inFlight.change { $0 -= 1 }
                    connection.respond(streamID, with: HTTP2Response(status: 200))
                }
                left -= held.count
                held = []
            }
            for await status in group { #expect(status == 200) }
        }
        #expect(maxInFlight.value == 3)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `a call with more requests than the limit waits for all permits`() async throws {
        let peer = try TestPeer { _, _ in HTTP2Response(status: 200) }
        let client = try peer.makeClient { $0.maxOutstandingRequests = 3 }
        async let one = client.send(post("/"))
        async let many = client.send((0..<8).map { post("/\($0)") })
        #expect(await one.status == 200)
        #expect(await many.map(\.status) == Array(repeating: 200, count: 8))
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `callers that wait at the limit have outcomes when the client closes`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let peer = try TestPeer { _, _ in
            arrived.yield()
            return nil
        }
        let client = try peer.makeClient { $0.maxOutstandingRequests = 1 }
        await withTaskGroup(of: HTTP2Outcome.self) { group in
            for _ in 0..<5 { group.addTask { await client.send(post("/")) } }
            var arrival = arrivals.makeAsyncIterator()
            await arrival.next()
            client.close()
            var outcomes: [HTTP2Outcome: Int] = [:]
            for await outcome in group { outcomes[outcome, default: 0] += 1 }
            #expect(outcomes == [.unknown(.connection(.closedLocally)): 1, .neverProcessed(.shutDown): 4])
        }
        await peer.server.stop()
    }

    @Test func `waiting tasks acquire permits in order, and a smaller request does not overtake a larger one`() async {
        let limiter = ConcurrencyLimiter(limit: 4)
        await limiter.acquire(3)
        let entered = Recorder<[Int]>([])
        await withDiscardingTaskGroup { group in
            for (index, places) in [4, 1].enumerated() {
                group.addTask {
                    await limiter.acquire(places)
                    entered.change { $0.append(places) }
                    limiter.release(places)
                }
                // The next one comes when this one waits.
                while limiter.waitingCount <= index { await Task.yield() }
            }
            #expect(entered.value == [])
            limiter.release(3)
        }
        #expect(entered.value == [4, 1])
    }
}
