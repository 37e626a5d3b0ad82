import NIOCore

/// A task executor that runs tasks on the thread of an event loop.
///
/// A task that serves a connection on the connection's own loop receives bytes without waking another thread. The
/// wake-up would cost more than the work for most requests.
final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
