import HTTP2Transport
public import Logging
public import ServiceLifecycle
import Synchronization

/// Sends pushes to APNs over HTTP/2, with a provider token of its own.
///
/// It decides what belongs to one request: which token it carries, and whether it is sent again with a fresh token.
/// When to try again, and with what state, is the caller's decision, which the outcome's reaction tells.
public final class APNsClient: Sendable {
    private struct State {
        /// The one in use is the last; those before it are on their way out.
        var routes: [APNsRoute]
        /// How often another key was put to use.
        var keyChanges = 0
        /// No route is added any more.
        var isStopped = false
    }

    private let configuration: Configuration
    private let state: Mutex<State>
    let now: @Sendable () -> Int64
    private let logger: Logger

    /// A client that connects once it runs, or when it first sends.
    /// - Parameters:
    ///   - configuration: which APNs, with which key.
    ///   - now: the time in seconds since 1970, for the provider token.
    ///   - logger: is told of connections and of refused provider tokens, never of device tokens or payloads.
    /// - Throws: `TransportError`, for example when the file of authorities cannot be read.
    public init(
        configuration: Configuration,
        now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) throws {
        let route = try APNsRoute(configuration.providerKey, of: configuration, now: now, logger: logger)
        self.configuration = configuration
        self.state = Mutex(State(routes: [route]))
        self.now = now
        self.logger = logger
    }

    /// Where it sends pushes to.
    public var address: (host: String, port: Int) {
        (configuration.host ?? configuration.environment.host, configuration.port ?? configuration.environment.port)
    }

    /// How many connections for pushes take requests now.
    public var openConnections: Int {
        get async { await route.openConnections }
    }

    /// Sends a push, and returns when its outcome is known.
    public func send(_ push: APNsPush) async -> APNsOutcome {
        let deadline = ContinuousClock.now + configuration.requestTimeout
        var answer = await route.send(push, until: deadline)
        if answer.isLeftBehind {
            // One push in, one answer out.
            answer = await answers(to: [push], at: .pushes, until: deadline)[0]
        }
        return APNsOutcome(answer, to: push.id, at: now())
    }

    /// Sends pushes, and returns when the last outcome is known: in the order of the pushes.
    ///
    /// Much cheaper for many pushes than sending each on its own.
    public func send(_ pushes: [APNsPush]) async -> [APNsOutcome] {
        let answers = await answers(to: pushes, at: .pushes)
        let now = now()
        return zip(answers, pushes).map { APNsOutcome($0, to: $1.id, at: now) }
    }

    /// Publishes to a channel, and returns when the outcome is known.
    public func send(_ broadcast: APNsBroadcast) async -> APNsOutcome {
        let answers = await answers(to: [broadcast], at: .pushes)
        // One broadcast in, one answer out.
        return APNsOutcome(answers[0], to: broadcast.id, at: now())
    }

    /// What becomes of messages, in their order.
    func answers(to messages: [some APNsMessage], at door: APNsDoor) async -> [APNsAnswer] {
        await answers(to: messages, at: door, until: .now + configuration.requestTimeout)
    }

    private func answers(
        to messages: [some APNsMessage],
        at door: APNsDoor,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsAnswer] {
        var route = route
        var answers = await route.send(messages, to: door, until: deadline)
        // What a route that was replaced meanwhile did not send any more goes over its successor.
        while let successor = successor(of: route) {
            let left = answers.indices.filter { answers[$0].isLeftBehind }
            if left.isEmpty { break }
            let again = await successor.send(left.map { messages[$0] }, to: door, until: deadline)
            for (index, answer) in zip(left, again) { answers[index] = answer }
            route = successor
        }
        return answers
    }
}

// MARK: - Keys

extension APNsClient {
    /// Uses another provider key from now on; nothing happens when it is the one in use.
    ///
    /// New connections carry its tokens. Pushes that wait move there; those in flight may end within the grace time, and
    /// have when this returns.
    /// - Throws: `TransportError` when no connection can be prepared; the key in use stays then.
    public func use(_ key: ProviderKey) async throws {
        guard key != route.key else { return }
        let successor = try APNsRoute(key, of: configuration, now: now, logger: logger)
        let retired: APNsRoute? = state.withLock { state in
            guard !state.isStopped, key != state.routes.last?.key else { return nil }
            state.keyChanges += 1
            defer { state.routes.append(successor) }
            return state.routes.last
        }
        guard let retired else { return }
        logger.notice("Another provider key is in use", metadata: ["keyID": "\(key.keyID)"])
        successor.connect()
        await retired.shutDown(within: configuration.shutdownGrace)
        state.withLock { state in state.routes.removeAll { $0 === retired } }
    }

    /// How often another provider key was put to use: what was found out about the route before holds no more.
    public var keyChanges: Int { state.withLock { $0.keyChanges } }

    /// The one in use is the last.
    var routes: [APNsRoute] { state.withLock { $0.routes } }

    private var route: APNsRoute {
        state.withLock { state in
            guard let route = state.routes.last else { preconditionFailure("only replaced routes are removed") }
            return route
        }
    }

    /// The route in use, when it is another one.
    private func successor(of route: APNsRoute) -> APNsRoute? {
        let newest = self.route
        return newest === route ? nil : newest
    }

    /// Adds no route any more, and tells those that there are.
    private func stop() -> [APNsRoute] {
        state.withLock { state in
            state.isStopped = true
            return state.routes
        }
    }
}

extension APNsClient: Service {
    /// Keeps the connection until a graceful shutdown, or until it is cancelled.
    ///
    /// At a graceful shutdown nothing new is sent, and what is in flight may end within the grace time. Cancelling ends
    /// it at once. In both cases each push has its outcome before this returns.
    public func run() async throws {
        route.connect()
        // It throws when the task is cancelled, which ends the wait as well.
        try? await gracefulShutdown()
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for route in stop() {
                    group.addTask { await route.shutDown(within: self.configuration.shutdownGrace) }
                }
            }
        } onCancel: {
            for route in stop() { route.close() }
        }
    }
}
