/// The executor of one simulated process: a node, or a part of the environment such as the clients.
///
/// As the preferred executor of the process's tasks it receives each of their jobs, from one suspension to the next. It
/// can therefore stop the process between any two jobs, for a while or for good, as a signal would.
package final class SimulatedHost: TaskExecutor {
    private struct State {
        var heldJobs: [UnownedJob] = []
        var countdown: (jobs: Int, action: () -> Void)?
        var isStopped = false
    }

    private let world: WorldBound<SimulatedWorld>
    /// The name of the process in the trace.
    package let name: String
    /// The time by which the machine's wall clock is ahead of the true time.
    package let clockError: WorldBound<Duration>
    private let state = WorldBound(State())

    /// Creates a running process.
    package init(
        in world: SimulatedWorld,
        named name: String,
        clockError: WorldBound<Duration> = WorldBound(.zero)
    ) {
        self.world = WorldBound(world)
        self.name = name
        self.clockError = clockError
    }

    /// Whether the process is stopped.
    package var isStopped: Bool { state.value.isStopped }

    /// Takes a job of one of the process's tasks; the Swift runtime calls this.
    package func enqueue(_ job: consuming ExecutorJob) {
        world.value.enqueue(UnownedJob(job), on: self)
    }

    func run(_ job: UnownedJob) {
        if let (jobs, action) = state.value.countdown {
            state.value.countdown = jobs > 0 ? (jobs - 1, action) : nil
            if jobs == 0 { action() }
        }
        guard !isStopped else {
            state.value.heldJobs.append(job)
            return
        }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Performs an action before one of the next jobs.
    /// - Parameters:
    ///   - jobs: the number of jobs to run before.
    ///   - action: the action.
    package func beforeJob(after jobs: Int, perform action: @escaping () -> Void) {
        state.value.countdown = (jobs, action)
    }

    /// Stops the process; its jobs are held until ``resume()``.
    package func stop() {
        state.value.isStopped = true
    }

    /// Continues a stopped process with the jobs that were held.
    package func resume() {
        let jobs = state.value.heldJobs
        state.value.heldJobs = []
        state.value.isStopped = false
        for job in jobs { world.value.enqueue(job, on: self) }
    }

    /// Lets the process run to its end: continues it, and does not perform an action that ``beforeJob(after:perform:)``
    /// has left, which may refer to the process.
    package func release() {
        state.value.countdown = nil
        resume()
    }
}
