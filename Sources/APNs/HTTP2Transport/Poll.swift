import CLinuxLoop
import Glibc

/// An epoll instance.
final class Poll: Sendable {
    /// The maximum number of events in one turn; the kernel delivers further events in the next turns, fairly.
    ///
    /// These events fit into the 1 KiB that Swift allocates on the stack.
    private static let eventsPerTurn = 64

    private let descriptor: Descriptor

    init() throws(TransportError) {
        let descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .systemResource("No epoll: \(systemErrorText(errno))") }
        self.descriptor = Descriptor(owning: descriptor)
    }

    func add(_ target: CInt) {
        control(EPOLL_CTL_ADD, target, writable: false)
    }

    func change(_ target: CInt, writable: Bool) {
        control(EPOLL_CTL_MOD, target, writable: writable)
    }

    func remove(_ target: CInt) {
        control(EPOLL_CTL_DEL, target, writable: false)
    }

    /// Blocks until a descriptor is ready, for at most a number of milliseconds; -1 for no limit.
    /// - Returns: the descriptors that are ready or have failed.
    func wait(milliseconds: CInt) -> [CInt] {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { buffer in
            let count = unsafe epoll_wait(
                descriptor.rawValue,
                buffer.baseAddress,
                CInt(buffer.count),
                milliseconds
            )
            // EINTR is the only error of a correct call: no descriptor is ready then.
            guard count > 0 else { return [] }
            return unsafe buffer[..<Int(count)].map { unsafe $0.data.fd }
        }
    }

    private func control(_ operation: CInt, _ target: CInt, writable: Bool) {
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLIN.rawValue | (writable ? EPOLLOUT.rawValue : 0)
        unsafe event.data.fd = target
        let status = unsafe epoll_ctl(descriptor.rawValue, operation, target, &event)
        // The call can fail with ENOMEM, and with ENOSPC at the system's limit of watches. Without the watch the
        // connection would never wake up.
        precondition(status == 0, "epoll_ctl failed: \(systemErrorText(errno))")
    }
}
