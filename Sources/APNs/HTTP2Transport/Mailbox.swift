import CLinuxLoop
import Glibc
import Synchronization

/// The jobs on their way to a loop's thread, and the bell (an eventfd) that wakes it for them.
///
/// It belongs to the loop and to the thread together, so that ringing never meets a closed descriptor.
final class Mailbox: Sendable {
    /// Work for the loop's thread.
    typealias Job = @Sendable (Selector) -> Void

    private struct Content {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let content = Mutex(Content())
    private let bell: Descriptor

    init() throws(TransportError) {
        let descriptor = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .systemResource("No eventfd: \(systemErrorText(errno))") }
        self.bell = Descriptor(owning: descriptor)
    }

    /// The descriptor that becomes readable when there is something to take.
    var bellDescriptor: CInt { bell.rawValue }

    func post(_ job: @escaping Job) {
        let wasEmpty = content.withLock { content in
            content.jobs.append(job)
            return content.jobs.count == 1
        }
        if wasEmpty { ring() }
    }

    /// What has been posted so far is still run; what is posted later is not.
    func stop() {
        content.withLock { $0.isStopped = true }
        ring()
    }

    /// Takes what is there, in the order of posting, and silences the bell.
    func take() -> (jobs: [Job], isStopped: Bool) {
        var count: UInt64 = 0
        _ = unsafe read(bell.rawValue, &count, MemoryLayout.size(ofValue: count))
        return content.withLock { content in
            defer { content.jobs = [] }
            return (content.jobs, content.isStopped)
        }
    }

    private func ring() {
        var one: UInt64 = 1
        // It fails only when the counter is full, and then the bell is ringing anyway.
        _ = unsafe write(bell.rawValue, &one, MemoryLayout.size(ofValue: one))
    }
}
