import HTTP2Transport
import Logging
import Synchronization

/// The provider token of one provider key, and the connections that use it.
///
/// Apple ties a connection to the key of its first push, so each key has its own connections.
final class APNsKeyConnections: Sendable {
    private struct State {
        var tokens: ProviderTokenCache
        /// The credentials of the current token.
        private var current: Credentials?

        init(tokens: ProviderTokenCache) {
            self.tokens = tokens
        }

        mutating func credentials(at now: Int64) throws(ProviderKeyError) -> Credentials {
            let token = try tokens.current(at: now)
            if let current, current.token == token { return current }
            return Credentials(token)
        }

        mutating func request(
            for push: APNsPush,
            at now: Int64
        ) throws(ProviderKeyError) -> (HTTP2ClientRequest, ProviderToken) {
            var credentials = try credentials(at: now)
            // Avoids a copy: this is the only reference while the request is made.
            current = nil
            defer { current = credentials }
            return (push.request(&credentials), credentials.token)
        }
    }

    let key: ProviderKey

    private let pushes: HTTP2Client
    private let channels: HTTP2Client
    /// The state; its lock is held while a token is signed, for well under a millisecond, so that concurrent callers
    /// sign only one.
    private let state: Mutex<State>
    private let now: @Sendable () -> Int64
    private let logger: Logger

    /// Creates clients that connect on the first request, or on ``connect()``.
    init(
        _ key: ProviderKey,
        of configuration: APNsClient.Configuration,
        now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) throws(TransportError) {
        self.key = key
        self.pushes = try HTTP2Client(configuration: configuration.transport, logger: logger)
        self.channels = try HTTP2Client(configuration: configuration.channelTransport, logger: logger)
        self.state = Mutex(State(tokens: ProviderTokenCache(key: key)))
        self.now = now
        self.logger = logger
    }

    /// Returns the statistics of the connections for pushes.
    func statistics() async -> HTTP2ClientStatistics { await pushes.statistics() }

    /// Returns the age of the newest provider token; nil before the first.
    func tokenAge(at now: Int64) -> Duration? {
        state.withLock { $0.tokens.age(at: now) }.map { .seconds($0) }
    }

    /// Opens a connection for pushes; connections for channels open on demand.
    func connect() {
        pushes.connect()
    }

    /// The number of connections that accept pushes.
    var openConnections: Int {
        get async { await pushes.statistics().connections }
    }

    func close() {
        pushes.close()
        channels.close()
    }

    func shutDown(within grace: Duration) async {
        async let isDown: Void = channels.shutDown(within: grace)
        await pushes.shutDown(within: grace)
        await isDown
    }

    /// Sends messages, and repeats those whose provider token APNs rejects, if another token can help.
    func send(
        _ messages: [some APNsMessage],
        to endpoint: APNsEndpoint,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsSendResult] {
        let credentials: Credentials
        do throws(ProviderKeyError) {
            credentials = try state.withLock { state throws(ProviderKeyError) in try state.credentials(at: now()) }
        } catch {
            return messages.map { _ in .noToken(error) }
        }
        let results = await send(messages, with: credentials, to: endpoint, until: deadline)
        return await retryRejected(results, to: messages, with: credentials.token, at: endpoint, until: deadline)
    }

    /// Sends one push, without the cost of a batch.
    func send(_ push: APNsPush, until deadline: ContinuousClock.Instant) async -> APNsSendResult {
        let request: HTTP2ClientRequest
        let token: ProviderToken
        do throws(ProviderKeyError) {
            (request, token) = try state.withLock { state throws(ProviderKeyError) in
                try state.request(for: push, at: now())
            }
        } catch {
            return .noToken(error)
        }
        let result = APNsSendResult.outcome(await pushes.send(request, until: deadline))
        if result.tokenFault == nil { return result }
        // The array has one result for each message.
        return await retryRejected([result], to: [push], with: token, at: .pushes, until: deadline)[0]
    }

    private func send(
        _ messages: [some APNsMessage],
        with credentials: Credentials,
        to endpoint: APNsEndpoint,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsSendResult] {
        var credentials = credentials
        let requests = messages.map { $0.request(&credentials) }
        let outcomes =
            switch endpoint {
            case .pushes: await pushes.send(requests, until: deadline)
            case .channels: await channels.send(requests, until: deadline)
            }
        return outcomes.map { .outcome($0) }
    }

    /// Repeats the messages whose provider token was rejected, if another token can help.
    private func retryRejected(
        _ results: [APNsSendResult],
        to messages: [some APNsMessage],
        with token: ProviderToken,
        at endpoint: APNsEndpoint,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsSendResult] {
        let rejected = results.indices.filter { results[$0].tokenFault != nil }
        guard let fault = rejected.first.flatMap({ results[$0].tokenFault }),
            let other = replacement(of: token, for: fault)
        else { return results }
        var results = results
        let retried = await send(rejected.map { messages[$0] }, with: Credentials(other), to: endpoint, until: deadline)
        for (index, result) in zip(rejected, retried) { results[index] = result }
        return results
    }

    private func replacement(of rejected: ProviderToken, for fault: ProviderTokenCache.Fault) -> ProviderToken? {
        let now = now()
        do throws(ProviderKeyError) {
            let (replacement, isNew) = try state.withLock { state throws(ProviderKeyError) in
                let newest = state.tokens.newest
                let replacement = try state.tokens.replacement(of: rejected, for: fault, at: now)
                return (replacement, state.tokens.newest != newest)
            }
            // Only one of many concurrent rejections is logged.
            if isNew, fault == .expired, now - rejected.issuedAt < ProviderTokenCache.renewalAge {
                logger.error(
                    "APNs rejects a new provider token as expired; check whether this machine's clock is slow",
                    metadata: ["tokenAgeSeconds": "\(now - rejected.issuedAt)"]
                )
            }
            return replacement
        } catch {
            logger.error("No provider token can be signed", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
