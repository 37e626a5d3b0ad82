import NIOCore

/// A timer for a deadline that moves often.
///
/// When the deadline moves later, the scheduled task stays as it is: it fires at the old deadline and schedules itself
/// again. That costs less than rescheduling for each request.
///
/// All calls must come from the timer's event loop.
final class DeadlineTimer {
    private let eventLoop: any EventLoop
    private let deadline: () -> NIODeadline?
    private let onExpiry: () -> Void
    private var isCancelled = false
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    /// Creates a timer.
    /// - Parameters:
    ///   - eventLoop: the event loop that runs the timer.
    ///   - deadline: returns the current deadline, or nil if there is none.
    ///   - onExpiry: called at or after the deadline.
    init(on eventLoop: any EventLoop, deadline: @escaping () -> NIODeadline?, onExpiry: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.deadline = deadline
        self.onExpiry = onExpiry
    }

    /// Reads the deadline again.
    ///
    /// Call it after every change that may have moved the deadline.
    func update() {
        guard !isCancelled, let deadline = deadline() else { return }
        if let scheduled {
            guard deadline < scheduled.at else { return }
            scheduled.task.cancel()
        }
        let task = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.fire() }
        scheduled = (task, deadline)
    }

    /// Stops the timer permanently.
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
