import Foundation

/// What blocks its thread, on one of its own: it must not block Swift's.
enum BlockingWork {
    /// Does some work and gives back what it made.
    static func run<Made: Sendable>(_ work: @escaping @Sendable () throws -> Made) async throws -> Made {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
