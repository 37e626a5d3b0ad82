import Dispatch
import Testing

@testable import HTTP2Transport

/// What would only wait behind the bodies of others is not handed to their connection.
@Suite(.timeLimit(.minutes(1)))
struct RoomTests {
    /// Has the client send a long body, before anything that is submitted later.
    private func submitLongBody(bytes: Int, to client: HTTP2Client) {
        let request = HTTP2ClientRequest(method: "POST", path: "/long", body: [UInt8](repeating: 0, count: bytes))
        client.submit(.batch([request], until: nil) { _ in })
    }

    @Test func `what comes while bodies use up the peer's window goes to another connection`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Int.self)
        // No stream has room for a body, and the connection for no more than 65,535 bytes (RFC 9113, section 6.9.2).
        let peer = try TestPeer(windowBytes: 0) { _, connection in
            arrived.yield(connection.id)
            return HTTP2Response(status: 200)
        }
        let client = try await peer.makeAnsweredClient {
            $0.maxConnections = 2
            $0.growAfter = .milliseconds(1)
        }
        submitLongBody(bytes: 65_536, to: client)
        #expect(await client.send(post("/next")).status == 200)
        #expect(await arrivals.first { _ in true } == 2)
        await client.shutDown(within: .zero)
        await peer.server.stop()
    }

    @Test func `what comes while the socket takes nothing more can still be taken back`() async throws {
        let release = DispatchSemaphore(value: 0)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        // The server's only thread stands still, and its window has room for more than the buffers of both sockets hold.
        let peer = try TestPeer(windowBytes: 64 * 1024 * 1024) { _, _ in
            arrived.yield()
            release.wait()
            return nil
        }
        let client = try await peer.makeAnsweredClient()
        async let held = client.send(post("/held"))
        _ = await arrivals.first { true }
        submitLongBody(bytes: 32 * 1024 * 1024, to: client)
        // This is told in the turn that writes as much of the body as can be, at the earliest; what follows is in a later one.
        _ = await client.statistics()
        let next = await client.send([post("/next")], until: .now + .milliseconds(200))
        #expect(next == [.neverProcessed(.timedOut)])
        client.close()
        release.signal()
        _ = await held
        await peer.server.stop()
    }
}
