import ServiceRuntime

/// The maximum number of senders' connections.
enum ConnectionLimit {
    /// The number of open files that are reserved for other uses: the page's clients, players, logs.
    private static let reserved = 256
    /// The maximum for one endpoint; where the system allows more, memory is the limit.
    private static let maxConnections = 50_000

    /// Raises the limit of open files, and returns the maximum number of connections for each of the two endpoints.
    static func perEndpoint() -> Int {
        OpenFiles.raiseLimit(to: 2 * maxConnections + reserved).map { perEndpoint(withFiles: $0) } ?? maxConnections
    }

    /// Returns the maximum number of connections for each endpoint under a limit of open files.
    static func perEndpoint(withFiles files: Int) -> Int {
        max(1, min(maxConnections, (files - reserved) / 2))
    }
}
