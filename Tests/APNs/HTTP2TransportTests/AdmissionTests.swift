import Testing

@testable import HTTP2Transport

@Suite(.timeLimit(.minutes(1)))
struct AdmissionTests {
    @Test func `a client takes on no more than it may, and those who wait are sent in turn`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let unanswered = Recorder(0)
        let mostUnanswered = Recorder(0)
        let peer = try TestPeer { request, connection in
            unanswered.change { $0 += 1 }
            let count = unanswered.value
            mostUnanswered.change { $0 = max($0, count) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let client = try await peer.makeAnsweredClient { $0.maxOutstandingRequests = 3 }
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<10 { group.addTask { await client.send(post("/\(number)")).status } }
            var held: [(HTTP2ServerConnection, Int32)] = []
            var left = 10
            for await arrival in arrivals.prefix(10) {
                held.append(arrival)
                // All that it takes on are there, and streams for more.
                guard held.count == min(3, left) else { continue }
                for (connection, streamID) in held {
                    unanswered.change { $0 -= 1 }
                    connection.respond(streamID, with: HTTP2Response(status: 200))
                }
                left -= held.count
                held = []
            }
            for await status in group { #expect(status == 200) }
        }
        #expect(mostUnanswered.value == 3)
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `more requests in one call than it takes on go alone`() async throws {
        let peer = try TestPeer { _, _ in HTTP2Response(status: 200) }
        let client = try peer.makeClient { $0.maxOutstandingRequests = 3 }
        async let one = client.send(post("/"))
        async let many = client.send((0..<8).map { post("/\($0)") })
        #expect(await one.status == 200)
        #expect(await many.map(\.status) == Array(repeating: 200, count: 8))
        await client.shutDown(within: .seconds(5))
        await peer.server.stop()
    }

    @Test func `who waits to be taken on has an outcome when the client ends`() async throws {
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
            #expect(outcomes == [.unknown(.connection(.closedHere)): 1, .neverProcessed(.shutDown): 4])
        }
        await peer.server.stop()
    }

    @Test func `those who wait enter in their order, and none is overtaken by who needs less`() async {
        let gate = AdmissionGate(size: 4)
        await gate.enter(3)
        let entered = Recorder<[Int]>([])
        await withDiscardingTaskGroup { group in
            for (index, places) in [4, 1].enumerated() {
                group.addTask {
                    await gate.enter(places)
                    entered.change { $0.append(places) }
                    gate.leave(places)
                }
                // The next one comes when this one waits.
                while gate.waitingCount <= index { await Task.yield() }
            }
            #expect(entered.value == [])
            gate.leave(3)
        }
        #expect(entered.value == [4, 1])
    }
}
