import Foundation

/// Functions that wait in real time for other processes.
enum Polling {
    /// Sleeps between two polls; returns at once in a cancelled task.
    static func pause(_ length: Duration) async { try? await Task.sleep(for: length) }

    /// Polls a condition until it holds.
    /// - Returns: false when the condition does not hold within `limit`.
    /// - Throws: the condition's error; `CancellationError`.
    static func until(within limit: Duration, every pause: Duration, _ condition: () async throws -> Bool) async throws
        -> Bool
    {
        let deadline = ContinuousClock.now + limit
        while true {
            if try await condition() { return true }
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: pause)
        }
    }
}

/// Runs blocking code outside Swift's thread pool.
enum BlockingWork {
    /// Runs `work` on a separate thread and returns its result.
    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
