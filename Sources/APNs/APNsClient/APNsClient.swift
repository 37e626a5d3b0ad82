import HTTP2Transport
public import Logging
public import ServiceLifecycle
import Synchronization

/// A client for APNs over HTTP/2 with token-based authentication.
///
/// The client selects the provider token of each request, and repeats a request with a new token if that can help. The
/// caller decides about further attempts: each rejection has an ``APNsReaction``.
public final class APNsClient: Sendable {
    private struct State {
        /// The connections of each key in use: the last element is current, and earlier ones are shutting down.
        var keyConnections: [APNsKeyConnections]
        /// The number of changes of the provider key.
        var keyChanges = 0
        /// Whether the client is shutting down, and accepts no further key.
        var isStopped = false
    }

    private let configuration: Configuration
    private let state: Mutex<State>
    let now: @Sendable () -> Int64
    private let logger: Logger

    /// Creates a client that connects when it runs, or with its first push.
    /// - Parameters:
    ///   - configuration: the environment, key and limits.
    ///   - now: returns the time in seconds since 1970, for the provider token.
    ///   - logger: logs connections and rejected provider tokens, never device tokens or payloads.
    /// - Throws: `TransportError`, for example if the file of authorities cannot be read.
    public init(
        configuration: Configuration,
        now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) throws {
        let connections = try APNsKeyConnections(configuration.providerKey, of: configuration, now: now, logger: logger)
        self.configuration = configuration
        self.state = Mutex(State(keyConnections: [connections]))
        self.now = now
        self.logger = logger
    }

    /// The host and port for pushes.
    public var address: (host: String, port: Int) {
        (configuration.host ?? configuration.environment.host, configuration.port ?? configuration.environment.port)
    }

    /// The number of connections that accept pushes.
    public var openConnections: Int {
        get async { await current.openConnections }
    }

    /// Sends a push and returns its outcome.
    public func send(_ push: APNsPush) async -> APNsOutcome {
        let deadline = ContinuousClock.now + configuration.requestTimeout
        var result = await current.send(push, until: deadline)
        if result.isUnsentAtShutdown {
            // The array has one result for each push.
            result = await results(of: [push], at: .pushes, until: deadline)[0]
        }
        return APNsOutcome(result, for: push.id, at: now())
    }

    /// Sends pushes and returns all outcomes, in order.
    ///
    /// One call with many pushes is much cheaper than many calls.
    public func send(_ pushes: [APNsPush]) async -> [APNsOutcome] {
        let results = await results(of: pushes, at: .pushes)
        let now = now()
        return zip(results, pushes).map { APNsOutcome($0, for: $1.id, at: now) }
    }

    /// Publishes a broadcast to its channel and returns the outcome.
    public func send(_ broadcast: APNsBroadcast) async -> APNsOutcome {
        let results = await results(of: [broadcast], at: .pushes)
        // The array has one result for each broadcast.
        return APNsOutcome(results[0], for: broadcast.id, at: now())
    }

    /// Sends messages and returns all results, in order.
    func results(of messages: [some APNsMessage], at endpoint: APNsEndpoint) async -> [APNsSendResult] {
        await results(of: messages, at: endpoint, until: .now + configuration.requestTimeout)
    }

    private func results(
        of messages: [some APNsMessage],
        at endpoint: APNsEndpoint,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsSendResult] {
        var connections = current
        var results = await connections.send(messages, to: endpoint, until: deadline)
        // If the key has been replaced, the successor sends the messages that were rejected at the shutdown.
        while let successor = successor(of: connections) {
            let unsent = results.indices.filter { results[$0].isUnsentAtShutdown }
            if unsent.isEmpty { break }
            let retried = await successor.send(unsent.map { messages[$0] }, to: endpoint, until: deadline)
            for (index, result) in zip(unsent, retried) { results[index] = result }
            connections = successor
        }
        return results
    }
}

// MARK: - Keys

extension APNsClient {
    /// Changes the provider key; does nothing if the key is the current one.
    ///
    /// New connections use tokens of the new key. Waiting pushes move to these connections. The call returns when the
    /// pushes in flight on the old connections have finished, or at the end of the grace period.
    /// - Throws: `TransportError` if no connection can be prepared; the current key then remains in use.
    public func use(_ key: ProviderKey) async throws {
        guard key != current.key else { return }
        let successor = try APNsKeyConnections(key, of: configuration, now: now, logger: logger)
        let retired: APNsKeyConnections? = state.withLock { state in
            guard !state.isStopped, key != state.keyConnections.last?.key else { return nil }
            state.keyChanges += 1
            defer { state.keyConnections.append(successor) }
            return state.keyConnections.last
        }
        guard let retired else { return }
        logger.notice("Another provider key is in use", metadata: ["keyID": "\(key.keyID)"])
        successor.connect()
        await retired.shutDown(within: configuration.shutdownGrace)
        state.withLock { state in state.keyConnections.removeAll { $0 === retired } }
    }

    /// The number of changes of the provider key.
    ///
    /// Rejections before a change prove nothing about the current key.
    public var keyChanges: Int { state.withLock { $0.keyChanges } }

    /// The connections of each key in use; the last element is current.
    var keyConnections: [APNsKeyConnections] { state.withLock { $0.keyConnections } }

    private var current: APNsKeyConnections {
        state.withLock { state in
            guard let current = state.keyConnections.last else {
                preconditionFailure("the connections of the current key are never removed")
            }
            return current
        }
    }

    /// Returns the connections of the current key, or nil if they are the given ones.
    private func successor(of connections: APNsKeyConnections) -> APNsKeyConnections? {
        let newest = current
        return newest === connections ? nil : newest
    }

    /// Prevents further changes of the key, and returns the connections of all keys.
    private func stop() -> [APNsKeyConnections] {
        state.withLock { state in
            state.isStopped = true
            return state.keyConnections
        }
    }
}

extension APNsClient: Service {
    /// Connects, and waits for a graceful shutdown or for cancellation.
    ///
    /// A graceful shutdown sends no further push, and lets pushes in flight finish within the grace period.
    /// Cancellation ends them at once. In both cases each push has its outcome before this returns.
    public func run() async throws {
        current.connect()
        // The error of a cancelled task also ends the wait.
        try? await gracefulShutdown()
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for connections in stop() {
                    group.addTask { await connections.shutDown(within: self.configuration.shutdownGrace) }
                }
            }
        } onCancel: {
            for connections in stop() { connections.close() }
        }
    }
}
