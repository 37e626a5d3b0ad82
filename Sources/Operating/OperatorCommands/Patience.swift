/// How long something is tried again that may pass: each wait is twice the last, and a minute after the first failure it
/// is enough.
///
/// A node that restarts is back within half of that; whoever waits longer wants to know.
struct Patience {
    /// How long after the first failure the last try begins, at most.
    static let limit = Duration.seconds(60)
    private static let longestWait = Duration.seconds(8)
    /// Longer than a try takes that fails at once.
    private static let longTry = Duration.seconds(10)

    private var wait = Duration.milliseconds(500)

    /// Whether it is pointless to try again: a server that is known to miss something, and takes long to say that it gives
    /// up, would take as long again.
    static func isEnough(after error: OperatorClientError, which took: Duration) -> Bool {
        error.namesWhatIsMissing && took > longTry
    }

    /// The wait before the next try.
    /// - Parameter elapsed: since the first failure.
    /// - Returns: nil when it is enough.
    mutating func nextWait(after elapsed: Duration) -> Duration? {
        guard elapsed < Self.limit else { return nil }
        defer { wait = min(wait * 2, Self.longestWait) }
        return min(wait, Self.limit - elapsed)
    }
}

/// Tries a step again that failed and may pass, and says so on standard error.
struct Perseverance {
    /// Tells whoever waits.
    let say: (String) -> Void
    /// Whether a try that took long in vain is the last: for a single change, and not for what goes on for minutes anyhow.
    var endsAfterLongTries = false

    /// Runs a step until it is done, fails for good, or was tried long enough.
    /// - Parameters:
    ///   - isWorthIt: whether the first failure is one to try again after; later ones are if they may pass.
    ///   - step: may be done more than once.
    /// - Returns: what the step returns.
    /// - Throws: what the last try throws.
    func run<Answer>(
        after isWorthIt: (OperatorClientError) -> Bool,
        step: () async throws(OperatorClientError) -> Answer
    ) async throws -> Answer {
        var failure: OperatorClientError
        var tryBegun = ContinuousClock.now
        do throws(OperatorClientError) {
            return try await step()
        } catch {
            guard isWorthIt(error), !isEnough(after: error, which: .now - tryBegun) else { throw error }
            failure = error
        }
        say("\(failure.summary); trying again, for a minute at most")
        let begun = ContinuousClock.now
        var patience = Patience()
        while let wait = patience.nextWait(after: .now - begun) {
            try await Task.sleep(for: wait)
            tryBegun = .now
            do throws(OperatorClientError) {
                let answer = try await step()
                say("the server answers again")
                return answer
            } catch {
                guard error.mayPass, !isEnough(after: error, which: .now - tryBegun) else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func isEnough(after error: OperatorClientError, which took: Duration) -> Bool {
        endsAfterLongTries && Patience.isEnough(after: error, which: took)
    }
}
