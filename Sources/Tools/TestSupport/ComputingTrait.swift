import Dispatch
public import Testing

/// Runs tests that compute for seconds on a thread of their own.
///
/// Tests run on as many threads as the machine has cores. A test that keeps one of them holds up all tests that wait for
/// a server or a database, until these reach their time limits.
public struct ComputingTrait: SuiteTrait, TestTrait, TestScoping {
    /// Each test of a suite has the trait.
    public var isRecursive: Bool { true }

    /// Runs a test on the thread for computing.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ComputingThread.shared) { try await function() }
    }
}

extension Trait where Self == ComputingTrait {
    /// The test computes for seconds.
    public static var computing: Self { Self() }
}

/// One thread, which shares the cores with the threads of the other tests.
private final class ComputingThread: TaskExecutor {
    static let shared = ComputingThread()

    /// A serial queue, since only these have threads beside those of the global queues.
    private let queue = DispatchQueue(label: "computing")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
