import Glibc
import Testing

@testable import HTTP2Transport

/// The choice among the addresses of a host.
@Suite(.timeLimit(.minutes(10)))
struct AddressSelectionTests {
    private let start = ContinuousClock.now

    @Test func `a refused address leaves its share of time to the next, and the first success ends the search`()
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

    @Test func `an unresponsive address takes only its share of time, and the error is that of the last address`() {
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

    @Test func `a connected socket sends small frames at once`() async throws {
        let peer = try TestPeer { _, _ in nil }
        let isOn = await withCheckedContinuation { continuation in
            Dialer.dial(host: "127.0.0.1", port: peer.server.port, number: 1, until: .now + .seconds(30)) { result in
                continuation.resume(returning: Result { try isWithoutDelay(try result.get()) })
            }
        }
        #expect(try isOn.get())
        await peer.server.stop()
    }

    /// Returns whether `TCP_NODELAY` is set (tcp(7)).
    private func isWithoutDelay(_ socket: Descriptor) throws -> Bool {
        var isOn: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        try #require(getsockopt(socket.rawValue, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, &size) == 0)
        return isOn != 0
    }
}
