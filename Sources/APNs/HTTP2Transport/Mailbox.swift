import CLinuxLoop
import Glibc
import Synchronization

/// The queue of jobs for a loop's thread, with an eventfd that wakes the thread.
///
/// The loop and its thread both hold the mailbox, so that a wake-up never writes to a closed descriptor.
final class Mailbox: Sendable {
    /// Work for the loop's thread.
    typealias Job = @Sendable (Selector) -> Void

    private struct Content {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let content = Mutex(Content())
    private let eventDescriptor: Descriptor

    init() throws(TransportError) {
        let descriptor = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .systemResource("No eventfd: \(systemErrorText(errno))") }
        self.eventDescriptor = Descriptor(owning: descriptor)
    }

    /// The descriptor that becomes readable when the mailbox is not empty.
    var wakeDescriptor: CInt { eventDescriptor.rawValue }

    func post(_ job: @escaping Job) {
        let wasEmpty = content.withLock { content in
            content.jobs.append(job)
            return content.jobs.count == 1
        }
        if wasEmpty { wake() }
    }

    /// Ends the loop after the jobs that were posted so far; later jobs do not run.
    func stop() {
        content.withLock { $0.isStopped = true }
        wake()
    }

    /// Takes all jobs, in order, and resets the wake-up descriptor.
    func take() -> (jobs: [Job], isStopped: Bool) {
        var count: UInt64 = 0
        _ = unsafe read(eventDescriptor.rawValue, &count, MemoryLayout.size(ofValue: count))
        return content.withLock { content in
            defer { content.jobs = [] }
            return (content.jobs, content.isStopped)
        }
    }

    private func wake() {
        var one: UInt64 = 1
        // The write fails only if the counter is full, and the descriptor is readable then.
        _ = unsafe write(eventDescriptor.rawValue, &one, MemoryLayout.size(ofValue: one))
    }
}
