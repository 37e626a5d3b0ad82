import Dispatch
import Testing

@testable import HTTP2Transport

/// A request that would wait behind the bodies of others is not submitted to their connection.
@Suite(.timeLimit(.minutes(10)))
struct BackPressureTests {
    /// Sends a long body before all later requests.
    private func submitLongBody(bytes: Int, to client: HTTP2Client) {
        let request = HTTP2ClientRequest(method: "POST", path: "/long", body: [UInt8](repeating: 0, count: bytes))
        client.submit([request]) { _ in }
    }

    @Test func `a request uses another connection while bodies use up the peer's window`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Int.self)
        // The windows of streams are 0, and that of the connection is 65,535 bytes (RFC 9113, section 6.9.2).
        let peer = try TestPeer(windowBytes: 0) { _, connection in
            arrived.yield(connection.id)
            return HTTP2Response(status: 200)
        }
        let client = try await peer.makeWarmClient {
            $0.maxConnections = 2
            $0.growAfter = .milliseconds(1)
        }
        submitLongBody(bytes: 65_536, to: client)
        #expect(await client.send(post("/next")).status == 200)
        #expect(await arrivals.first { _ in true } == 2)
        await client.shutDown(within: .zero)
        await peer.server.stop()
    }

    @Test func `a request times out unprocessed while the socket's send buffer is full`() async throws {
        let release = DispatchSemaphore(value: 0)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        // The server's only thread blocks, and its window is larger than the buffers of both sockets.
        let peer = try TestPeer(windowBytes: 64 * 1024 * 1024) { _, _ in
            arrived.yield()
            release.wait()
            return nil
        }
        let client = try await peer.makeWarmClient()
        async let held = client.send(post("/held"))
        _ = await arrivals.first { true }
        submitLongBody(bytes: 32 * 1024 * 1024, to: client)
        // The statistics arrive after the turn that writes the body begins; the next request is in a later turn.
        _ = await client.statistics()
        let next = await client.send([post("/next")], until: .now + .milliseconds(200))
        #expect(next == [.neverProcessed(.timedOut)])
        client.close()
        release.signal()
        _ = await held
        await peer.server.stop()
    }
}
