import Foundation

/// The events of a socket to wait for.
struct SocketEvents: OptionSet {
    let rawValue: UInt8

    /// Input is available, or the peer has closed the connection.
    static let readable = Self(rawValue: 1)
    /// There is room in the send buffer.
    static let writable = Self(rawValue: 2)
}

/// Waits for events of a socket, and lets any thread end the wait.
///
/// Uses the self-pipe technique: a byte in the pipe makes `poll` return.
final class SocketPoller: Sendable {
    /// The descriptor to wait without a socket: `poll` ignores negative descriptors, so only `wake()` or the deadline
    /// ends the wait.
    static let noSocket: Int32 = -1

    private let readEnd: Int32
    private let writeEnd: Int32

    /// Creates a poller with its pipe.
    /// - Throws: ``PostgresError/cannotConnect(reason:)`` if the process has no file descriptors left.
    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw .cannotConnect(reason: unsafe String(cString: strerror(errno)))
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the current wait, or the next one if none is in progress.
    func wake() {
        // A full pipe rejects the byte, but wakes the poller anyway.
        _ = unsafe write(writeEnd, [0], 1)
    }

    /// Waits until the socket is ready, `wake()` is called, or the deadline has passed.
    ///
    /// Spurious wake-ups are possible, so callers check their conditions again.
    func wait(for events: SocketEvents, on socket: Int32, until deadline: ContinuousClock.Instant?) {
        var descriptors = [
            pollfd(fd: socket, events: events.pollEvents, revents: 0),
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), Self.milliseconds(until: deadline))
        if descriptors[1].revents != 0 { drain() }
    }

    /// Returns whether the socket is ready now.
    ///
    /// An error or a closed connection counts as readable.
    static func isReady(_ socket: Int32, for events: SocketEvents) -> Bool {
        var descriptor = pollfd(fd: socket, events: events.pollEvents, revents: 0)
        return unsafe poll(&descriptor, 1, 0) > 0
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
    }

    /// Returns the time left in the format of `poll`: milliseconds rounded up, -1 for no deadline.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = max(.zero, deadline - ContinuousClock.now)
        return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
}

extension SocketEvents {
    fileprivate var pollEvents: Int16 {
        (contains(.readable) ? Int16(POLLIN) : 0) | (contains(.writable) ? Int16(POLLOUT) : 0)
    }
}
