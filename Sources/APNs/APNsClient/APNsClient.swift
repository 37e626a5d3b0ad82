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

    /// The maximum number of messages passed to the transport at once: few enough that it sends the first ones while
    /// the requests of the next ones are built.
    private static let maxSubmission = 500

    private let configuration: Configuration
    /// Limits the outstanding messages, over the connections of all keys.
    private let limiter: ConcurrencyLimiter
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
        self.limiter = ConcurrencyLimiter(limit: configuration.maxOutstandingPushes)
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
    ///
    /// For many pushes, ``submit(_:_:)`` is much cheaper.
    public func send(_ push: APNsPush) async -> APNsOutcome {
        // The array has one outcome for each push.
        await send([push])[0]
    }

    /// Sends pushes and returns all outcomes, in order.
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

    /// Submits pushes, whose outcomes arrive in parts.
    ///
    /// The call returns when all pushes are submitted. It waits only while the maximum number of pushes is outstanding;
    /// that wait counts towards the request timeout. It ignores cancellation.
    /// - Parameters:
    ///   - pushes: the pushes, which are sent in this order as far as streams allow.
    ///   - receive: receives the outcomes that arrived together, in any order, each with the index of its push. It runs
    ///     on a thread of the client and must not block. Each push has exactly one outcome.
    public func submit(
        _ pushes: [APNsPush],
        _ receive: @escaping @Sendable ([(index: Int, outcome: APNsOutcome)]) -> Void
    ) async {
        await submit(pushes, at: .pushes, resumesTasks: false) { [now] results in
            let now = now()
            receive(results.map { ($0.index, APNsOutcome($0.outcome, for: pushes[$0.index].id, at: now)) })
        }
    }

    /// Sends messages and returns all results, in order.
    func results(of messages: [some APNsMessage], at endpoint: APNsEndpoint) async -> [APNsSendResult] {
        let results = OrderedOutcomes<APNsSendResult>(count: messages.count)
        await submit(messages, at: endpoint, resumesTasks: true) { results.add($0) }
        return await results.all()
    }

    private func submit<Message: APNsMessage>(
        _ messages: [Message],
        at endpoint: APNsEndpoint,
        resumesTasks: Bool,
        _ receive: @escaping APNsSubmission<Message>.Receiver
    ) async {
        let submission = APNsSubmission(
            messages,
            to: endpoint,
            until: .now + configuration.requestTimeout,
            over: { self.current },
            resumesTasks: resumesTasks,
            receive: { [limiter] results in
                receive(results)
                limiter.release(results.count)
            }
        )
        let size = min(configuration.maxOutstandingPushes, Self.maxSubmission)
        for start in stride(from: 0, to: messages.count, by: size) {
            let indices = Array(start..<min(start + size, messages.count))
            if !limiter.tryAcquire(indices.count) { await limiter.acquire(indices.count) }
            submission.send(indices)
        }
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
