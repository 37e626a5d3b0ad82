/// An error: a condition did not hold within the time limit of ``eventually(_:within:_:)``.
public struct TimeLimitExceeded: Error, CustomStringConvertible {
    /// The expected condition and the time limit.
    public let description: String

    /// Creates an error with a description.
    public init(description: String) {
        self.description = description
    }
}

/// Evaluates a condition every 20 milliseconds until it returns a value.
/// - Parameters:
///   - expectation: the expected condition, for the error's description.
///   - limit: the time limit.
///   - condition: returns nil to continue the wait.
/// - Returns: the first value that the condition returns.
/// - Throws: ``TimeLimitExceeded`` after the time limit, and the condition's error.
@discardableResult
public func eventually<Value>(
    _ expectation: String,
    within limit: Duration = .seconds(120),
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
///   - expectation: the expected condition, for the error's description.
///   - limit: the time limit.
///   - condition: returns true to end the wait.
/// - Throws: ``TimeLimitExceeded`` after the time limit, and the condition's error.
public func eventually(
    _ expectation: String,
    within limit: Duration = .seconds(120),
    _ condition: () async throws -> Bool
) async throws {
    try await eventually(expectation, within: limit) { try await condition() ? () : nil }
}
