import Foundation
import Glibc
import Synchronization

/// A TCP relay between a node and PostgreSQL or APNs, which can stop or delay the bytes of either direction.
///
/// Like a broken network, it holds bytes back and closes no connection; they arrive when the fault is over, as TCP's
/// retransmissions do. A new connection waits until both directions work.
final class ChaosRelay: Sendable {
    /// A server behind a relay.
    enum Server: Hashable, Sendable {
        /// The path of a unix socket.
        case unix(String)
        /// A port of 127.0.0.1.
        case port(Int)
    }

    /// The time by which lost bytes arrive later: the minimum retransmission timeout of Linux.
    fileprivate static let retransmission = Duration.milliseconds(200)
    /// The probability with which a lossy link loses the bytes of one read.
    fileprivate static let lossProbability = 0.2

    /// The port on 127.0.0.1 at which the relay listens.
    let port: Int
    private let listener: CInt
    private let server: Server
    private let state = Mutex<ChaosFault.Link.Kind?>(nil)
    private let held = Atomic(0)

    /// Creates a relay, which relays until the process exits.
    /// - Throws: ``BenchmarkFailure`` without a free port.
    init(to server: Server) throws {
        self.server = server
        (listener, port) = try listenOnLoopback()
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { continue }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { [self] in relay(client) }
            }
        }
    }

    /// Begins a fault; nil ends it.
    func set(_ fault: ChaosFault.Link.Kind?) { state.withLock { $0 = fault } }

    /// How often a fault has held back what a side sent.
    var heldReads: Int { held.load(ordering: .relaxed) }

    fileprivate var fault: ChaosFault.Link.Kind? { state.withLock(\.self) }

    /// Waits until no fault stops a direction.
    fileprivate func hold(_ direction: RelayedDirection) {
        guard fault?.stops(direction) ?? false else { return }
        held.add(1, ordering: .relaxed)
        while fault?.stops(direction) ?? false { Thread.sleep(forTimeInterval: RelayedDirection.pause) }
    }

    private func relay(_ client: CInt) {
        while fault?.stopsConnecting ?? false { Thread.sleep(forTimeInterval: RelayedDirection.pause) }
        guard let upstream = connectToServer() else {
            close(client)
            return
        }
        let connection = RelayedConnection(client: client, server: upstream)
        for direction in [RelayedDirection.toServer, .toClient] {
            Thread.detachNewThread { [self] in connection.pump(direction, through: self) }
        }
    }

    /// Returns a connected socket; nil if the server refuses the connection.
    private func connectToServer() -> CInt? {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor: CInt
        let result: CInt
        switch server {
        case .port(let port):
            descriptor = socket(AF_INET, type, 0)
            result = sockaddr_in.loopback(port: port).withPointer { connect(descriptor, $0, $1) }
            disableNagle(descriptor)
        case .unix(let path):
            descriptor = socket(AF_UNIX, type, 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(capacity)) }
            result = withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

private enum RelayedDirection {
    case toServer
    case toClient

    /// The pause between two looks at a fault, in seconds.
    static let pause = 0.02
}

/// A connection through a relay.
private final class RelayedConnection: Sendable {
    private static let maxReadBytes = 64 * 1024

    private let client: CInt
    private let server: CInt
    private let openDirections = Atomic(2)

    init(client: CInt, server: CInt) {
        self.client = client
        self.server = server
        disableNagle(client)
    }

    /// Relays one direction until its source closes it or its target breaks; the last one closes the sockets.
    func pump(_ direction: RelayedDirection, through relay: ChaosRelay) {
        let (source, target) = direction == .toServer ? (client, server) : (server, client)
        var buffer = [UInt8](repeating: 0, count: Self.maxReadBytes)
        var isOpen = true
        while isOpen {
            let count = read(source, &buffer, buffer.count)
            relay.hold(direction)
            if relay.fault == .lossy, Double.random(in: 0..<1) < ChaosRelay.lossProbability {
                Thread.sleep(forTimeInterval: ChaosRelay.retransmission / .seconds(1))
            }
            isOpen = count > 0 && sendAll(buffer[..<count], to: target)
        }
        shutdown(source, CInt(SHUT_RD))
        shutdown(target, CInt(SHUT_WR))
        guard openDirections.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        close(client)
        close(server)
    }
}

extension ChaosFault.Link.Kind {
    /// Whether no new connection can be made.
    fileprivate var stopsConnecting: Bool { self != .lossy }

    fileprivate func stops(_ direction: RelayedDirection) -> Bool {
        switch self {
        case .requestsLost: direction == .toServer
        case .responsesLost: direction == .toClient
        case .cut: true
        case .lossy: false
        }
    }
}
