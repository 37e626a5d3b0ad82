/// What was waited for did not come.
struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}

/// Waits for a condition, looking at it again and again.
/// - Returns: the first value that it gives.
/// - Throws: ``NeverHappened`` when there is none until the deadline.
func eventually<Value>(
    _ what: String,
    within limit: Duration = .seconds(60),
    _ condition: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "not within \(limit): \(what)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}
