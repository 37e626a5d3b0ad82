import Foundation
import Glibc

/// Passes TCP connections on to a server, each byte later by the same time, in both directions.
///
/// A stand-in for distance that leaves the machine's network alone. It holds what is under way, as a long line does.
final class DelayRelay: Sendable {
    /// Where it listens, on 127.0.0.1.
    let port: Int

    private let listener: CInt
    private let target: sockaddr_in
    private let delay: Duration

    /// Listens from now on, and passes on once it is started.
    /// - Parameters:
    ///   - target: an IPv4 address.
    ///   - delay: in each direction: half of what it adds to the round trip.
    /// - Throws: `MeasurementFailure` when the target is no address, or no port can be had.
    init(to target: PushAddress, delay: Duration) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(target.port).bigEndian
        guard inet_pton(AF_INET, target.host, &address.sin_addr) == 1 else {
            throw MeasurementFailure(
                "\(target.host) is no IPv4 address; the round trip is measured with addresses only"
            )
        }
        self.target = address
        self.delay = delay
        (listener, port) = try Self.listen()
    }

    /// Passes on until the process ends.
    func start() {
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client >= 0 { connect(client) }
            }
        }
    }

    private static func listen() throws -> (socket: CInt, port: Int) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && Glibc.listen(listener, SOMAXCONN) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else {
            throw MeasurementFailure("No port for the relay: \(String(cString: strerror(errno)))")
        }
        return (listener, Int(in_port_t(bigEndian: address.sin_port)))
    }

    private func connect(_ client: CInt) {
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        let status = withUnsafePointer(to: target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // Nobody there: the client is let go, as the server would.
        guard status == 0 else {
            close(client)
            close(server)
            return
        }
        for socket in [client, server] {
            var on: CInt = 1
            setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        }
        let delay = delay
        for (source, target) in [(client, server), (server, client)] {
            Thread.detachNewThread {
                var line = DelayLine(from: source, to: target, delay: delay)
                line.run()
            }
        }
    }
}

/// One direction of one connection.
private struct DelayLine {
    private static let pieceBytes = 256 * 1024

    let source: CInt
    let target: CInt
    let delay: Duration
    private var underWay: [(bytes: [UInt8], due: ContinuousClock.Instant)] = []
    private var buffer = [UInt8](repeating: 0, count: pieceBytes)
    private var isOpen = true

    init(from source: CInt, to target: CInt, delay: Duration) {
        self.source = source
        self.target = target
        self.delay = delay
    }

    /// Returns when the source has ended and all that it sent has arrived.
    mutating func run() {
        while isOpen || !underWay.isEmpty {
            if isReadable() { read() }
            deliver()
        }
        shutdown(target, CInt(SHUT_WR))
    }

    /// Waits for the source, but no longer than until something is due.
    ///
    /// By select(2), which counts in microseconds: what comes while this sleeps would be held for longer than the delay.
    private func isReadable() -> Bool {
        guard let due = underWay.first?.due else { return select(nil) }
        var limit = timeval()
        // More would not be microseconds; the loop then looks again.
        limit.tv_usec = min(999_999, suseconds_t(max(.zero, due - .now) / .microseconds(1)))
        return select(&limit)
    }

    private func select(_ limit: UnsafeMutablePointer<timeval>?) -> Bool {
        guard isOpen else { return Glibc.select(0, nil, nil, nil, limit) > 0 }
        // As long as it takes: an `fd_set` ends at 1,024, and a process may have more descriptors.
        var watched = [UInt64](repeating: 0, count: Int(source) / 64 + 1)
        watched[Int(source) / 64] = 1 << UInt64(source % 64)
        return watched.withUnsafeMutableBytes {
            Glibc.select(source + 1, $0.baseAddress?.assumingMemoryBound(to: fd_set.self), nil, nil, limit) > 0
        }
    }

    private mutating func read() {
        let count = Glibc.read(source, &buffer, buffer.count)
        if count > 0 {
            underWay.append((Array(buffer[..<count]), .now + delay))
        } else {
            isOpen = false
        }
    }

    private mutating func deliver() {
        let now = ContinuousClock.now
        let due = underWay.prefix { $0.due <= now }
        underWay.removeFirst(due.count)
        for (bytes, _) in due where !write(bytes) {
            // Nobody takes what is under way.
            isOpen = false
            underWay = []
            return
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest.removeFirst(count)
        }
        return true
    }
}
