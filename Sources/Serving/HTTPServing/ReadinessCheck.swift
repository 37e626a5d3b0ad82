/// A check of something that the process needs for its work.
public struct ReadinessCheck: Sendable {
    /// Returns the failures; empty if there are none.
    let run: @Sendable () async -> [Readiness.Failure]

    /// Creates a check with one possible failure.
    /// - Parameters:
    ///   - name: The name of the check, one word.
    ///   - check: Returns what is wrong as one sentence, fit for unauthenticated clients; nil if nothing is.
    public init(_ name: String, check: @escaping @Sendable () async -> String?) {
        self.init { await check().map { [Readiness.Failure(name: name, reason: $0)] } ?? [] }
    }

    /// Creates a check with several possible failures.
    /// - Parameter run: Returns the failures; empty if there are none.
    public init(run: @escaping @Sendable () async -> [Readiness.Failure]) {
        self.run = run
    }
}
