import HTTP2Transport
public import Logging
public import ServiceLifecycle
import Synchronization

/// Sends pushes to APNs over HTTP/2, with a provider token of its own.
///
/// It decides what belongs to one request: which token it carries, and whether it is sent again with a fresh token.
/// When to try again, and with what state, is the caller's decision, which the outcome's reaction tells.
public final class APNsClient: Sendable {
    private let http: HTTP2Client
    /// Locked while a token is signed, so that there is one signer; that takes well under a millisecond.
    private let tokens: Mutex<ProviderTokenCache>
    private let shutdownGrace: Duration
    private let now: @Sendable () -> Int64
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
        self.http = try HTTP2Client(configuration: configuration.transport, logger: logger)
        self.tokens = Mutex(ProviderTokenCache(key: configuration.providerKey))
        self.shutdownGrace = configuration.shutdownGrace
        self.now = now
        self.logger = logger
    }

    /// Sends a push, and returns when its outcome is known.
    public func send(_ push: APNsPush) async -> APNsOutcome {
        // One push in, one outcome out.
        await send([push])[0]
    }

    /// Sends pushes, and returns when the last outcome is known: in the order of the pushes.
    ///
    /// Much cheaper for many pushes than sending each on its own.
    public func send(_ pushes: [APNsPush]) async -> [APNsOutcome] {
        let token: ProviderToken
        do throws(ProviderKeyError) {
            token = try tokens.withLock { cache throws(ProviderKeyError) in try cache.current(at: now()) }
        } catch {
            return pushes.map { _ in .neverSent(.providerToken(error.description)) }
        }
        var outcomes = await send(pushes, with: token)
        let expired = outcomes.indices.filter { outcomes[$0].reaction == .renewToken }
        if !expired.isEmpty, let renewed = replacement(of: token) {
            let again = await send(expired.map { pushes[$0] }, with: renewed)
            for (index, outcome) in zip(expired, again) { outcomes[index] = outcome }
        }
        return outcomes
    }

    private func send(_ pushes: [APNsPush], with token: ProviderToken) async -> [APNsOutcome] {
        let answers = await http.send(pushes.map { $0.request(token) })
        let now = now()
        return zip(answers, pushes).map { APNsOutcome($0, of: $1, at: now) }
    }

    private func replacement(of expired: ProviderToken) -> ProviderToken? {
        do throws(ProviderKeyError) {
            let replacement = try tokens.withLock { cache throws(ProviderKeyError) in
                try cache.replacement(of: expired, at: now())
            }
            if replacement == nil {
                logger.error("APNs calls a young provider token expired: is this machine's clock right?")
            }
            return replacement
        } catch {
            logger.error("No provider token", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

extension APNsClient: Service {
    /// Keeps the connection until a graceful shutdown, or until it is cancelled.
    ///
    /// At a graceful shutdown nothing new is sent, and what is in flight may end within the grace time. Cancelling ends
    /// it at once. In both cases each push has its outcome before this returns.
    public func run() async throws {
        http.connect()
        // It throws when the task is cancelled, which ends the wait as well.
        try? await gracefulShutdown()
        await withTaskCancellationHandler {
            await http.shutDown(within: shutdownGrace)
        } onCancel: {
            http.close()
        }
    }
}
