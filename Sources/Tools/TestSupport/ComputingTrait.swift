import Dispatch
import Foundation
import Synchronization
public import Testing

/// Runs tests that compute for seconds on threads of their own.
///
/// Tests run on as many threads as the machine has cores. A test that keeps one of them holds up all tests that wait for
/// a server or a database, until these reach their time limits.
public struct ComputingTrait: SuiteTrait, TestTrait, TestScoping {
    /// Each test of a suite has the trait.
    public var isRecursive: Bool { true }

    /// Runs a test on one of the threads for computing.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ComputingThreads.shared) { try await function() }
    }
}

extension Trait where Self == ComputingTrait {
    /// The test computes for seconds.
    public static var computing: Self { Self() }
}

/// As many threads as the machine has cores, which share the cores with the threads of the other tests.
private final class ComputingThreads: TaskExecutor {
    static let shared = ComputingThreads()

    /// Serial queues, since only these have threads beside those of the global queues.
    private let queues = (0..<ProcessInfo.processInfo.activeProcessorCount).map {
        DispatchQueue(label: "computing \($0)")
    }
    private let jobs = Atomic(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let number = jobs.wrappingAdd(1, ordering: .relaxed).oldValue
        queues[number % queues.count].async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
