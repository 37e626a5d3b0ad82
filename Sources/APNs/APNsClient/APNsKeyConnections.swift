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
            let credentials = Credentials(token)
            current = credentials
            return credentials
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

    /// Returns the credentials for new messages.
    func credentials() throws(ProviderKeyError) -> Credentials {
        try state.withLock { state throws(ProviderKeyError) in try state.credentials(at: now()) }
    }

    /// Returns the client of an endpoint.
    func client(of endpoint: APNsEndpoint) -> HTTP2Client {
        switch endpoint {
        case .pushes: pushes
        case .channels: channels
        }
    }

    /// Returns the replacement of a provider token that APNs has rejected; nil if no other token can help.
    func replacement(of rejected: ProviderToken, for fault: ProviderTokenCache.Fault) -> ProviderToken? {
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
