import APNsClient
import HTTP2Transport
import Logging
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ServiceTests {
    /// A push that is in flight when a client stops.
    private struct InFlight {
        let apns: TestAPNs
        let push: APNsPush
        let arrivals: AsyncStream<(HTTP2ServerConnection, Int32)>

        init() throws {
            let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
            self.arrivals = arrivals
            apns = try TestAPNs { request, connection in
                arrived.yield((connection, request.streamID))
                return nil
            }
            push = try makePush()
        }
    }

    private func group(_ client: APNsClient) -> ServiceGroup {
        ServiceGroup(
            configuration: .init(
                services: [.init(service: client)],
                logger: Logger(label: "test", factory: SwiftLogNoOpLogHandler.init)
            )
        )
    }

    @Test func `a running client connects before the first push`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await apns.client.run() }
            var connections = apns.connections.makeAsyncIterator()
            try #require(await connections.next() != nil)
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        #expect(apns.requests.value.isEmpty)
    }

    @Test func `a graceful shutdown lets pushes in flight finish and sends no other`() async throws {
        let test = try InFlight()
        let group = group(test.apns.client)
        async let isDown: Void = group.run()
        async let outcome = test.apns.client.send(test.push)
        var arrivals = test.arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await arrivals.next())

        await group.triggerGracefulShutdown()
        connection.respond(streamID, with: HTTP2Response(status: 200))
        #expect(await outcome == .accepted(apnsID: test.push.id, uniqueID: nil))
        try await isDown
        #expect(await test.apns.client.send(test.push) == .neverSent(.shuttingDown))
    }

    @Test func `cancellation ends the client at once, and each push has an outcome`() async throws {
        let test = try InFlight()
        let client = test.apns.client
        async let outcome = client.send(test.push)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await client.run() }
            var arrivals = test.arrivals.makeAsyncIterator()
            _ = try #require(await arrivals.next())
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        guard case .unknown(.connection) = await outcome else {
            Issue.record("\(await outcome)")
            return
        }
    }
}
