/// A condition did not come true before the deadline of ``eventually(_:within:_:)``.
public struct TimeLimitExceeded: Error, CustomStringConvertible {
    /// What was waited for, and for how long.
    public let description: String

    /// An error with that description.
    public init(description: String) {
        self.description = description
    }
}

/// Evaluates a condition every 20 milliseconds until it gives a value.
/// - Parameters:
///   - expectation: what is waited for, for the error.
///   - limit: the deadline.
///   - condition: returns nil to go on waiting.
/// - Returns: the first value of the condition.
/// - Throws: ``TimeLimitExceeded`` after the deadline, and whatever the condition throws.
@discardableResult
public func eventually<Value>(
    _ expectation: String,
    within limit: Duration = .seconds(60),
    _ condition: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < deadline else {
            throw TimeLimitExceeded(description: "not within \(limit): \(expectation)")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Evaluates a condition every 20 milliseconds until it is true.
/// - Parameters:
///   - expectation: what is waited for, for the error.
///   - limit: the deadline.
///   - condition: whether it has come true.
/// - Throws: ``TimeLimitExceeded`` after the deadline, and whatever the condition throws.
public func eventually(
    _ expectation: String,
    within limit: Duration = .seconds(60),
    _ condition: () async throws -> Bool
) async throws {
    try await eventually(expectation, within: limit) { try await condition() ? () : nil }
}
