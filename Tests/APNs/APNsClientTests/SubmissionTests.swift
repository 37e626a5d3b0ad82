import APNsClient
import HTTP2Transport
import Testing

/// Pushes that are submitted together and whose outcomes arrive in parts.
@Suite(.timeLimit(.minutes(10)))
struct SubmissionTests {
    /// The outcomes of one submission.
    private final class Outcomes: Sendable {
        private let parts: AsyncStream<Void>
        private let arrived: AsyncStream<Void>.Continuation
        private let outcomes: Recorder<[[APNsOutcome]]>
        private let partCount = Recorder(0)

        init(of count: Int) {
            (parts, arrived) = AsyncStream.makeStream()
            outcomes = Recorder(Array(repeating: [], count: count))
        }

        func receive(_ part: [(index: Int, outcome: APNsOutcome)]) {
            #expect(!part.isEmpty)
            partCount.change { $0 += 1 }
            outcomes.change { outcomes in for (index, outcome) in part { outcomes[index].append(outcome) } }
            arrived.yield()
        }

        /// The number of times that outcomes arrived.
        var receivedParts: Int { partCount.value }

        /// The outcomes of each push so far.
        var all: [[APNsOutcome]] { outcomes.value }

        /// Waits for a number of outcomes.
        func wait(for count: Int) async {
            var iterator = parts.makeAsyncIterator()
            while outcomes.value.reduce(0, { $0 + $1.count }) < count { await iterator.next() }
        }
    }

    /// A server that keeps requests without responses until the test responds.
    private struct HoldingAPNs {
        let apns: TestAPNs
        private let arrivals: AsyncStream<(HTTP2ServerConnection, Int32)>

        init(
            requestTimeout: Duration = .seconds(40),
            maxConcurrentStreams: Int = 1000,
            maxOutstandingPushes: Int = 100_000
        ) throws {
            let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
            self.arrivals = arrivals
            apns = try TestAPNs(
                requestTimeout: requestTimeout,
                maxConcurrentStreams: maxConcurrentStreams,
                maxOutstandingPushes: maxOutstandingPushes
            ) { request, connection in
                if request.path.hasSuffix(SubmissionTests.warmUpSuffix) { return HTTP2Response(status: 200) }
                arrived.yield((connection, request.streamID))
                return nil
            }
        }

        /// Lets the client use all streams: it sends one request before the first response.
        func warmUp() async throws {
            let push = try makePush(SubmissionTests.warmUp)
            #expect(await apns.client.send(push) == .accepted(apnsID: push.id, uniqueID: nil))
        }

        /// Waits for requests.
        func arrivals(_ count: Int) async -> [(connection: HTTP2ServerConnection, streamID: Int32)] {
            var held: [(connection: HTTP2ServerConnection, streamID: Int32)] = []
            for await arrival in arrivals {
                held.append(arrival)
                if held.count == count { break }
            }
            return held
        }
    }

    private static let warmUp = 0xFFFF
    private static let warmUpSuffix = "ffff"

    private func accepted(_ pushes: [APNsPush]) -> [[APNsOutcome]] {
        pushes.map { [.accepted(apnsID: $0.id, uniqueID: nil)] }
    }

    @Test func `an outcome does not wait for the other pushes, and those that arrive together are one part`()
        async throws
    {
        let held = Recorder<[Int32]>([])
        let (ends, ended) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let pushes = try (0..<100).map { try makePush($0) }
        let apns = try TestAPNs { request, connection in
            if request.path.hasSuffix(Self.warmUpSuffix) { return HTTP2Response(status: 200) }
            held.change { $0.append(request.streamID) }
            guard held.value.count == pushes.count else { return nil }
            // In one turn of the server, which writes them together.
            for streamID in held.value.dropLast() { connection.respond(streamID, with: HTTP2Response(status: 200)) }
            ended.yield((connection, request.streamID))
            return nil
        }
        _ = await apns.client.send(try makePush(Self.warmUp))
        let outcomes = Outcomes(of: pushes.count)
        await apns.client.submit(pushes) { outcomes.receive($0) }
        await outcomes.wait(for: pushes.count - 1)
        #expect(outcomes.receivedParts < pushes.count / 2)
        #expect(outcomes.all.count { $0.isEmpty } == 1)
        var end = ends.makeAsyncIterator()
        let (connection, streamID) = try #require(await end.next())
        connection.respond(streamID, with: HTTP2Response(status: 200))
        await outcomes.wait(for: pushes.count)
        #expect(outcomes.all == accepted(pushes))
    }

    @Test func `each of 4,000 pushes in flight has one outcome`() async throws {
        let apns = try TestAPNs { request, _ in
            request.path.hasSuffix("7") ? reject(410, "Unregistered") : HTTP2Response(status: 200)
        }
        let pushes = try (0..<4_000).map { try makePush($0) }
        let outcomes = Outcomes(of: pushes.count)
        for half in [0..<2_000, 2_000..<4_000] {
            await apns.client.submit(Array(pushes[half])) { part in
                outcomes.receive(part.map { ($0.index + half.lowerBound, $0.outcome) })
            }
        }
        await outcomes.wait(for: pushes.count)
        let expected = pushes.map { push -> [APNsOutcome] in
            push.deviceToken.hex.hasSuffix("7")
                ? [.rejected(APNsRejection(status: 410, reason: .unregistered))]
                : [.accepted(apnsID: push.id, uniqueID: nil)]
        }
        #expect(outcomes.all == expected)
        #expect(apns.requests.value.count == pushes.count)
    }

    @Test func `no more pushes are outstanding than allowed`() async throws {
        let server = try HoldingAPNs(maxOutstandingPushes: 3)
        let pushes = try (0..<10).map { try makePush($0) }
        let outcomes = Outcomes(of: pushes.count)
        async let submission: Void = server.apns.client.submit(pushes) { outcomes.receive($0) }
        for number in pushes.indices {
            let held = await server.arrivals(1)
            let statistics = await server.apns.client.statistics()
            #expect(statistics.streams + statistics.queued <= 3, "after push \(number)")
            for (connection, streamID) in held { connection.respond(streamID, with: .init(status: 200)) }
        }
        await submission
        await outcomes.wait(for: pushes.count)
        #expect(outcomes.all == accepted(pushes))
    }

    @Test func `a shutdown gives each push one outcome, and none is accepted afterwards`() async throws {
        let server = try HoldingAPNs(maxConcurrentStreams: 2)
        try await server.warmUp()
        let pushes = try (0..<10).map { try makePush($0) }
        let outcomes = Outcomes(of: pushes.count)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await server.apns.client.run() }
            await server.apns.client.submit(pushes) { outcomes.receive($0) }
            _ = await server.arrivals(2)
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        // Each push has its outcome before the client has stopped.
        #expect(outcomes.all.allSatisfy { $0.count == 1 })
        #expect(outcomes.all.dropFirst(2).allSatisfy { $0 == [.neverSent(.shuttingDown)] })
        for outcome in outcomes.all.prefix(2) {
            guard case .unknown(.connection) = outcome.first else {
                Issue.record("\(outcome)")
                continue
            }
        }
        let later = Outcomes(of: pushes.count)
        await server.apns.client.submit(pushes) { later.receive($0) }
        await later.wait(for: pushes.count)
        #expect(later.all == pushes.map { _ in [.neverSent(.shuttingDown)] })
    }

    @Test func `pushes without a response and unsent pushes time out once`() async throws {
        let server = try HoldingAPNs(requestTimeout: .seconds(3), maxConcurrentStreams: 1)
        let pushes = try (0..<10).map { try makePush($0) }
        let outcomes = Outcomes(of: pushes.count)
        await server.apns.client.submit(pushes) { outcomes.receive($0) }
        await outcomes.wait(for: pushes.count)
        let unsent = Array(repeating: [APNsOutcome.neverSent(.timedOut)], count: 9)
        #expect(outcomes.all == [[.unknown(.timedOut)]] + unsent)
    }

    @Test func `pushes after their sendBy are not sent, and the others are`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        var pushes = try (0..<10).map { try makePush($0) }
        for index in pushes.indices where index.isMultiple(of: 2) { pushes[index].sendBy = .now }
        let outcomes = Outcomes(of: pushes.count)
        await apns.client.submit(pushes) { outcomes.receive($0) }
        await outcomes.wait(for: pushes.count)
        for (index, outcome) in outcomes.all.enumerated() {
            #expect(outcome == (index.isMultiple(of: 2) ? [.neverSent(.tooLate)] : accepted([pushes[index]])[0]))
        }
        #expect(apns.requests.value.count == 5)
    }

    @Test func `pushes that a GOAWAY leaves unprocessed are sent on a new connection`() async throws {
        let server = try HoldingAPNs()
        try await server.warmUp()
        let pushes = try (0..<100).map { try makePush($0) }
        let outcomes = Outcomes(of: pushes.count)
        await server.apns.client.submit(pushes) { outcomes.receive($0) }
        let held = await server.arrivals(pushes.count)
        let connection = held[0].connection
        connection.goAway(lastStreamID: held[49].streamID)
        for (connection, streamID) in held.prefix(50) { connection.respond(streamID, with: .init(status: 200)) }
        await outcomes.wait(for: 50)
        // The first response lets the new connection use all streams.
        for (other, streamID) in await server.arrivals(1) {
            #expect(other.id != connection.id)
            other.respond(streamID, with: .init(status: 200))
        }
        for (other, streamID) in await server.arrivals(49) { other.respond(streamID, with: .init(status: 200)) }
        await outcomes.wait(for: pushes.count)
        #expect(outcomes.all == accepted(pushes))
    }

    @Test func `a change of the key sends waiting pushes with the new key, each once`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let old = Recorder<String?>(nil)
        let apns = try TestAPNs(maxConcurrentStreams: 1) { request, connection in
            let authorization = request.headers["authorization"]
            old.change { $0 = $0 ?? authorization }
            guard authorization == old.value else { return HTTP2Response(status: 200) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let pushes = try (0..<1_200).map { try makePush($0) }
        let outcomes = Outcomes(of: pushes.count)
        await apns.client.submit(pushes) { outcomes.receive($0) }
        var iterator = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await iterator.next())
        async let change: Void = apns.client.use(try makeProviderKey())
        await outcomes.wait(for: pushes.count - 1)
        connection.respond(streamID, with: HTTP2Response(status: 200))
        try await change
        await outcomes.wait(for: pushes.count)
        #expect(outcomes.all == accepted(pushes))
        #expect(apns.requests.value.count == pushes.count)
    }

    @Test func `only pushes whose provider token was rejected are repeated, each once`() async throws {
        let old = Recorder<String?>(nil)
        let apns = try TestAPNs { request, _ in
            guard request.headers["authorization"] == old.value, request.path.hasSuffix("3") else {
                return HTTP2Response(status: 200)
            }
            return reject(403, "ExpiredProviderToken")
        }
        _ = await apns.client.send(try makePush(1))
        let authorization = apns.requests.value.first?.headers["authorization"]
        old.change { $0 = authorization }
        apns.clock.change { $0 += 20 * 60 }
        let pushes = try (0..<160).map { try makePush($0) }
        let outcomes = Outcomes(of: pushes.count)
        await apns.client.submit(pushes) { outcomes.receive($0) }
        await outcomes.wait(for: pushes.count)
        #expect(outcomes.all == accepted(pushes))
        #expect(apns.requests.value.count == 1 + 160 + 10)
        #expect(Set(apns.requests.value.map { $0.headers["authorization"] }).count == 2)
    }

    @Test func `a submission without pushes has no outcome`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        await apns.client.submit([]) { _ in Issue.record("there is no push") }
        _ = await apns.client.send(try makePush())
    }
}
