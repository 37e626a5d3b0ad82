public import ServiceLifecycle

/// Runs a server on a free port while a test's body runs.
/// - Parameters:
///   - make: returns the server, which reports its port to the closure.
///   - body: the test, with the server and its port.
/// - Returns: the body's result.
/// - Throws: the body's error; when the server ends before it listens, the server's error, or `CancellationError` if it
///   has none.
public func withListeningServer<Server: Service, Result: Sendable>(
    _ make: (_ onListening: @escaping @Sendable (Int) -> Void) -> Server,
    _ body: (_ server: Server, _ port: Int) async throws -> Result
) async throws -> Result {
    let (ports, opened) = AsyncStream.makeStream(of: Int.self)
    let server = make { opened.yield($0) }
    return try await withThrowingTaskGroup { group in
        group.addTask {
            // The stream ends with the server; otherwise a server that cannot start would block the test.
            defer { opened.finish() }
            try await server.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await group.waitForAll()
            throw CancellationError()
        }
        let result = try await body(server, port)
        group.cancelAll()
        return result
    }
}
