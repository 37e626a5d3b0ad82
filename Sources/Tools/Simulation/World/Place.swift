import Synchronization

/// Where tasks of one process run: a node, or everything outside of the nodes.
///
/// As the preferred executor of its tasks it sees each of their jobs, from one suspension to the next. So it can be
/// stopped between any two of them, for a while or for good, as a process is by a signal.
///
/// Unchecked but true: it is touched where its world is, on the world's one thread.
package final class Place: TaskExecutor, @unchecked Sendable {
    private let world: World
    /// What the trace calls it.
    package let name: String
    /// The wall clock of the machine that it is on.
    package let clock: MachineClock
    private var held: [UnownedJob] = []
    private var countdown: (jobs: Int, then: @Sendable () -> Void)?
    /// Whether nothing runs here.
    package private(set) var isStopped = false

    /// A place in a world.
    package init(in world: World, named name: String, clock: MachineClock = MachineClock()) {
        self.world = world
        self.name = name
        self.clock = clock
    }

    /// Called by Swift for every job of a task of this place.
    package func enqueue(_ job: consuming ExecutorJob) {
        world.enqueue(UnownedJob(job), at: self)
    }

    func run(_ job: UnownedJob) {
        if let (jobs, then) = countdown {
            countdown = jobs > 0 ? (jobs - 1, then) : nil
            if jobs == 0 { then() }
        }
        guard !isStopped else {
            held.append(job)
            return
        }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Does something just before a job, so many jobs from now.
    package func before(jobNumber jobs: Int, do action: @escaping @Sendable () -> Void) {
        countdown = (jobs, action)
    }

    /// Nothing runs here from now on; what becomes ready is kept.
    package func stop() {
        isStopped = true
    }

    /// What was kept, and what comes, runs again.
    package func goOn() {
        isStopped = false
        let jobs = held
        held = []
        for job in jobs { world.enqueue(job, at: self) }
    }
}
