import Glibc
import Testing

@testable import HTTP2Transport

/// Which of a host's addresses a connection comes up with, and in what time.
@Suite(.timeLimit(.minutes(1)))
struct ReachingTests {
    private let start = ContinuousClock.now

    @Test func `an address that refuses leaves its time to the next, and none is tried after one that answers`()
        throws
    {
        var now = start
        var tries: [String] = []
        func connect(_ address: String, within time: Duration) throws(HTTP2ConnectionEnd) -> String {
            tries.append("\(address) \(time)")
            guard address == "a" else { return address }
            now += .seconds(1)
            throw .refused(address: address, reason: "")
        }
        let end = start + .seconds(9)
        let reached = try Dialer.reach("host", at: ["a", "b", "c"], until: end, now: { now }, by: connect)
        #expect(reached == "b")
        #expect(tries == ["a \(Duration.seconds(3))", "b \(Duration.seconds(4))"])
    }

    @Test func `an address that says nothing takes no more than its share, and the last tells why there is none`() {
        var now = start
        var tries: [String] = []
        func connect(_ address: String, within time: Duration) throws(HTTP2ConnectionEnd) {
            tries.append("\(address) \(time)")
            now += time
            throw .refused(address: address, reason: "")
        }
        let end = start + .seconds(9)
        let failure = #expect(throws: HTTP2ConnectionEnd.self) {
            try Dialer.reach("host", at: ["a", "b", "c"], until: end, now: { now }, by: connect)
        }
        #expect(failure == .refused(address: "c", reason: ""))
        #expect(tries == ["a", "b", "c"].map { "\($0) \(Duration.seconds(3))" })
    }

    @Test func `a socket that is connected sends small frames at once`() async throws {
        let peer = try TestPeer { _, _ in nil }
        let isOn = await withCheckedContinuation { continuation in
            Dialer.dial(host: "127.0.0.1", port: peer.server.port, number: 1, until: .now + .seconds(30)) { result in
                continuation.resume(returning: Result { try isWithoutDelay(try result.get()) })
            }
        }
        #expect(try isOn.get())
        await peer.server.stop()
    }

    /// Whether what is written to the socket goes out at once (tcp(7), `TCP_NODELAY`).
    private func isWithoutDelay(_ socket: Descriptor) throws -> Bool {
        var isOn: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        try #require(getsockopt(socket.rawValue, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, &size) == 0)
        return isOn != 0
    }
}
