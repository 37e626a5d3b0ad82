import DequeModule
import Dispatch
import Foundation
import Synchronization

/// The serial executor of one connection: a thread that may block while it runs a job.
///
/// Waiting for a server would starve Swift's cooperative thread pool, so every ``PostgresSession`` has a thread of its
/// own. The thread lives until `stop()`, which the session calls when it is released.
final class ConnectionThread: SerialExecutor {
    /// The stack size.
    ///
    /// libpq, TLS and name resolution need far less; the default of 8 MiB wastes address space.
    private static let stackBytes = 512 * 1_024

    private struct Work {
        var jobs: Deque<UnownedJob> = []
        var isStopping = false
    }

    private let work = Mutex(Work())
    private let pending = DispatchSemaphore(value: 0)

    /// Starts the thread.
    init(name: String) {
        let thread = Thread { self.run() }
        thread.name = name
        thread.stackSize = Self.stackBytes
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        work.withLock { $0.jobs.append(job) }
        pending.signal()
    }

    /// Ends the thread after the jobs that are already queued.
    func stop() {
        work.withLock { $0.isStopping = true }
        pending.signal()
    }

    private func run() {
        while let job = next() {
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    /// Waits for the next job; returns nil after `stop()`.
    private func next() -> UnownedJob? {
        while true {
            let (job, isStopping) = work.withLock { ($0.jobs.popFirst(), $0.isStopping) }
            if let job { return job }
            if isStopping { return nil }
            pending.wait()
        }
    }
}
