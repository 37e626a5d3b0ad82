import Foundation
import Glibc
import Synchronization

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
        (listener, port) = try listenOnLoopback()
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
            let line = DelayLine(delay: delay)
            Thread.detachNewThread { line.receive(from: source) }
            Thread.detachNewThread { line.deliver(to: target) }
        }
    }
}

/// One direction of one connection.
private final class DelayLine: Sendable {
    private static let maxReadBytes = 256 * 1024

    private let delay: Duration
    /// The bytes in flight; nil for the end of the source.
    private let inFlight = Mutex<[(bytes: [UInt8]?, due: ContinuousClock.Instant)]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    init(delay: Duration) { self.delay = delay }

    /// Returns when the source has ended.
    func receive(from source: CInt) {
        var buffer = [UInt8](repeating: 0, count: Self.maxReadBytes)
        var count = 0
        repeat {
            count = read(source, &buffer, buffer.count)
            let bytes = count > 0 ? Array(buffer[..<count]) : nil
            inFlight.withLock { $0.append((bytes, .now + delay)) }
            arrivals.signal()
        } while count > 0
    }

    /// Returns when all bytes have been delivered, or the target has closed the connection.
    func deliver(to target: CInt) {
        while true {
            arrivals.wait()
            let (bytes, due) = inFlight.withLock { $0.removeFirst() }
            let early = due - .now
            if early > .zero { Thread.sleep(forTimeInterval: early / .seconds(1)) }
            guard let bytes, sendAll(bytes[...], to: target) else { break }
        }
        shutdown(target, CInt(SHUT_WR))
    }
}
