import Foundation
import Glibc

/// A TCP relay that delays each byte by the same time, in both directions.
///
/// It simulates a distant server without changing the machine's network. Like a long line, it keeps bytes in flight.
final class DelayRelay: Sendable {
    /// The port on 127.0.0.1 at which the relay listens.
    let port: Int

    private let listener: CInt
    private let server: sockaddr_in
    private let delay: Duration

    /// Creates a relay that listens at once and relays connections after ``start()``.
    /// - Parameters:
    ///   - server: an IPv4 address.
    ///   - delay: the delay in each direction: half of the added round trip.
    /// - Throws: ``BenchmarkFailure`` for a server that is not an IPv4 address, or without a free port.
    init(to server: HostPort, delay: Duration) throws {
        var address = sockaddr_in.loopback(port: server.port)
        guard inet_pton(AF_INET, server.host, &address.sin_addr) == 1 else {
            throw BenchmarkFailure("\(server.host) is not an IPv4 address, which the relay needs")
        }
        self.server = address
        self.delay = delay
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var own = sockaddr_in.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening =
            own.withPointer { bind(listener, $0, $1) } == 0 && listen(listener, SOMAXCONN) == 0
            && withUnsafeMutablePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) == 0 }
            }
        guard isListening else {
            throw BenchmarkFailure("The relay cannot listen: \(String(cString: strerror(errno)))")
        }
        port = Int(in_port_t(bigEndian: own.sin_port))
    }

    /// Relays connections until the process exits.
    func start() {
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                if client >= 0 { relay(client) }
            }
        }
    }

    private func relay(_ client: CInt) {
        let upstream = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard server.withPointer({ connect(upstream, $0, $1) }) == 0 else {
            close(client)
            close(upstream)
            return
        }
        for (source, target) in [(client, upstream), (upstream, client)] {
            disableNagle(source)
            Thread.detachNewThread { [delay] in
                var line = DelayLine(from: source, to: target, delay: delay)
                line.run()
            }
        }
    }
}

/// One direction of one connection.
private struct DelayLine {
    private static let maxReadBytes = 256 * 1024

    let source: CInt
    let target: CInt
    let delay: Duration
    private var inFlight: [(bytes: [UInt8], due: ContinuousClock.Instant)] = []
    private var buffer = [UInt8](repeating: 0, count: maxReadBytes)
    private var isOpen = true

    init(from source: CInt, to target: CInt, delay: Duration) {
        self.source = source
        self.target = target
        self.delay = delay
    }

    /// Returns when the source has ended and all of its bytes have been delivered.
    mutating func run() {
        while isOpen || !inFlight.isEmpty {
            if isReadable() { read() }
            deliver()
        }
        shutdown(target, CInt(SHUT_WR))
    }

    /// Waits until the source is readable, but no longer than until bytes are due.
    ///
    /// select(2) waits with microsecond precision; a longer sleep would add to the delay.
    private func isReadable() -> Bool {
        guard let due = inFlight.first?.due else { return select(nil) }
        var limit = timeval()
        // A longer wait takes several calls: `tv_usec` must stay below a second.
        limit.tv_usec = min(999_999, suseconds_t(max(.zero, due - .now) / .microseconds(1)))
        return select(&limit)
    }

    private func select(_ limit: UnsafeMutablePointer<timeval>?) -> Bool {
        guard isOpen else { return Glibc.select(0, nil, nil, nil, limit) > 0 }
        // A bit set that is large enough for the descriptor; `fd_set` ends at descriptor 1,023.
        var watched = [UInt64](repeating: 0, count: Int(source) / 64 + 1)
        watched[Int(source) / 64] = 1 << UInt64(source % 64)
        return watched.withUnsafeMutableBytes {
            Glibc.select(source + 1, $0.baseAddress?.assumingMemoryBound(to: fd_set.self), nil, nil, limit) > 0
        }
    }

    private mutating func read() {
        let count = Glibc.read(source, &buffer, buffer.count)
        if count > 0 { inFlight.append((Array(buffer[..<count]), .now + delay)) } else { isOpen = false }
    }

    private mutating func deliver() {
        let now = ContinuousClock.now
        let due = inFlight.prefix { $0.due <= now }
        inFlight.removeFirst(due.count)
        for (bytes, _) in due where !sendAll(bytes[...], to: target) {
            isOpen = false
            inFlight = []
            return
        }
    }
}
