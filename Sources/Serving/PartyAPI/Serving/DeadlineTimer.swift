import NIOCore

/// Calls back when a deadline that moves around is reached: at the first one that was set, to find out that it has moved
/// since costs less than to set a timer anew for each request.
///
/// Belongs to one event loop.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private let deadline: () -> NIODeadline?
    private let onExpiry: () -> Void
    private var isCancelled = false
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    /// - Parameters:
    ///   - eventLoop: where it runs, and all calls come from.
    ///   - deadline: when it is to fire by now.
    ///   - onExpiry: called at or after the deadline.
    init(on eventLoop: any EventLoop, deadline: @escaping () -> NIODeadline?, onExpiry: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.deadline = deadline
        self.onExpiry = onExpiry
    }

    /// To be called when the deadline may have changed.
    func update() {
        guard !isCancelled, let deadline = deadline() else { return }
        if let scheduled {
            guard deadline < scheduled.at else { return }
            scheduled.task.cancel()
        }
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.fire() }
        scheduled = (task, deadline)
    }

    /// It does not fire any more; who it calls is let go.
    func cancel() {
        isCancelled = true
        scheduled?.task.cancel()
        scheduled = nil
    }

    private func fire() {
        scheduled = nil
        if let deadline = deadline(), deadline <= eventLoop.now { onExpiry() }
        update()
    }
}
