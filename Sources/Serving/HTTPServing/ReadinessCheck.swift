/// A check of a system or a condition that the process depends on.
public struct ReadinessCheck: Sendable {
    /// Returns the failures; empty if there are none.
    let run: @Sendable () async -> [Readiness.Failure]

    /// Creates a check with one possible failure.
    /// - Parameters:
    ///   - name: the name of the check, one word.
    ///   - check: returns the reason for a failure in one sentence, without details that unauthenticated clients must
    ///     not see; nil if the check succeeds.
    public init(_ name: String, check: @escaping @Sendable () async -> String?) {
        self.init { await check().map { [Readiness.Failure(name: name, reason: $0)] } ?? [] }
    }

    /// Creates a check with several possible failures.
    /// - Parameter run: returns the failures; empty if there are none.
    public init(run: @escaping @Sendable () async -> [Readiness.Failure]) {
        self.run = run
    }
}
