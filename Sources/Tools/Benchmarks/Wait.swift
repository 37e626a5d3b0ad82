/// Waiting in real time, which is all that a measurement with other processes has.
enum Wait {
    /// Lets time pass, because a plan says so: nothing is waited for.
    static func passing(_ length: Duration) async throws {
        try await Task.sleep(for: length)
    }

    /// Lets time pass until a moment of a plan; none when it is over.
    static func passing(until moment: ContinuousClock.Instant) async throws {
        try await Task.sleep(until: moment)
    }

    /// Lets time pass between two looks at what goes on, however that is.
    /// - Returns: at once when the task is cancelled, which its loop's condition sees.
    static func betweenLooks(_ length: Duration) async {
        try? await Task.sleep(for: length)
    }

    /// Waits until something is so.
    /// - Parameters:
    ///   - limit: how long at most.
    ///   - pause: between two looks.
    ///   - isSo: looks.
    /// - Returns: whether it is; false after that time.
    /// - Throws: what the look throws; `CancellationError`.
    static func until(
        atMost limit: Duration,
        lookingEvery pause: Duration,
        _ isSo: () async throws -> Bool
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + limit
        while true {
            if try await isSo() { return true }
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: pause)
        }
    }
}
