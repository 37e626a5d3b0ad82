import Foundation

/// What a wait on a socket has found, or is to wait for.
struct Readiness: OptionSet {
    let rawValue: UInt8

    /// Something has come, or the peer has closed.
    static let readable = Self(rawValue: 1)
    /// There is room to send.
    static let writable = Self(rawValue: 2)
}

/// Waits on a socket, and lets any other thread end the wait.
///
/// A pipe to itself: a byte in it makes `poll` return.
final class WakeUp: Sendable {
    /// No socket: `poll` ignores negative descriptors, so that only a wake-up or the time ends the wait.
    static let noSocket: Int32 = -1

    private let readEnd: Int32
    private let writeEnd: Int32

    /// - Throws: ``PostgresError/cannotConnect(reason:)`` when the process has no file descriptors left.
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

    /// Ends the wait in progress, or else the next one.
    func wake() {
        // A full pipe refuses the byte, and has enough of them.
        _ = unsafe write(writeEnd, [0], 1)
    }

    /// Waits until the socket is ready, someone wakes, or the time is over.
    ///
    /// May return early without a reason; callers look for themselves what has changed.
    func wait(for events: Readiness, on socket: Int32, until deadline: ContinuousClock.Instant?) {
        var descriptors = [
            pollfd(fd: socket, events: events.pollEvents, revents: 0),
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), Self.milliseconds(until: deadline))
        if descriptors[1].revents != 0 { drain() }
    }

    /// Whether the socket is ready at this moment; an error or the peer's end counts as readable.
    static func isReady(_ socket: Int32, for events: Readiness) -> Bool {
        var descriptor = pollfd(fd: socket, events: events.pollEvents, revents: 0)
        return unsafe poll(&descriptor, 1, 0) > 0
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
    }

    /// The time left as `poll` wants it: rounded up, -1 for none.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = max(.zero, deadline - ContinuousClock.now)
        return Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
    }
}

extension Readiness {
    fileprivate var pollEvents: Int16 {
        (contains(.readable) ? Int16(POLLIN) : 0) | (contains(.writable) ? Int16(POLLOUT) : 0)
    }
}
