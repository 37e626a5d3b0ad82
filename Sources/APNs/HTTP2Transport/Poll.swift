import CLinuxLoop
import Glibc

/// An epoll instance: which descriptors are ready.
final class Poll: Sendable {
    /// More events than this in one turn wait for the next turn; the kernel hands them out fairly.
    ///
    /// So many fit on the stack, as far as Swift puts buffers there (1 KiB).
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

    /// Blocks until something is ready, or for so many milliseconds; -1 is without end.
    /// - Returns: the descriptors that are ready, or have failed.
    func wait(milliseconds: CInt) -> [CInt] {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerTurn) { buffer in
            let count = unsafe epoll_wait(
                descriptor.rawValue,
                buffer.baseAddress,
                CInt(buffer.count),
                milliseconds
            )
            // EINTR is the only error that a correct call can meet: then nothing is ready.
            guard count > 0 else { return [] }
            return unsafe buffer[..<Int(count)].map { unsafe $0.data.fd }
        }
    }

    private func control(_ operation: CInt, _ target: CInt, writable: Bool) {
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLIN.rawValue | (writable ? EPOLLOUT.rawValue : 0)
        unsafe event.data.fd = target
        let status = unsafe epoll_ctl(descriptor.rawValue, operation, target, &event)
        // ENOMEM and ENOSPC (the system's limit of watches) could stop this; going on would mean a
        // connection that never wakes up.
        precondition(status == 0, "epoll_ctl failed: \(systemErrorText(errno))")
    }
}
