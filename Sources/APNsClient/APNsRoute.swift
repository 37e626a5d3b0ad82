import HTTP2Transport
import Logging
import Synchronization

/// What belongs to one provider key: its token, and the connections that carry it.
///
/// Apple ties a connection to the key of its first push, so another key is another route.
final class APNsRoute: Sendable {
    let key: ProviderKey

    private let pushes: HTTP2Client
    private let channels: HTTP2Client
    /// Locked while a token is signed, so that there is one signer; that takes well under a millisecond.
    private let tokens: Mutex<ProviderTokenCache>
    private let now: @Sendable () -> Int64
    private let logger: Logger

    /// A route that connects when it is first needed, or told to.
    init(
        _ key: ProviderKey,
        of configuration: APNsClient.Configuration,
        now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) throws(TransportError) {
        self.key = key
        self.pushes = try HTTP2Client(configuration: configuration.transport, logger: logger)
        self.channels = try HTTP2Client(configuration: configuration.channelTransport, logger: logger)
        self.tokens = Mutex(ProviderTokenCache(key: key))
        self.now = now
        self.logger = logger
    }

    /// Brings up the connections for pushes; those for channels come when they are needed.
    func connect() {
        pushes.connect()
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

    /// Sends messages, once more with another provider token where APNs refuses the first for its age.
    func send(
        _ messages: [some APNsMessage],
        to door: APNsDoor,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsAnswer] {
        let token: ProviderToken
        do throws(ProviderKeyError) {
            token = try tokens.withLock { cache throws(ProviderKeyError) in try cache.current(at: now()) }
        } catch {
            return messages.map { _ in .noToken(error) }
        }
        var answers = await send(messages, with: token, to: door, until: deadline)
        let refused = answers.indices.filter { answers[$0].tokenFault != nil }
        if let fault = refused.first.flatMap({ answers[$0].tokenFault }), let other = replacement(of: token, for: fault)
        {
            let again = await send(refused.map { messages[$0] }, with: other, to: door, until: deadline)
            for (index, answer) in zip(refused, again) { answers[index] = answer }
        }
        return answers
    }

    private func send<Message: APNsMessage>(
        _ messages: [Message],
        with token: ProviderToken,
        to door: APNsDoor,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsAnswer] {
        let requests = Message.requests(for: messages, token)
        let outcomes =
            switch door {
            case .pushes: await pushes.send(requests, until: deadline)
            case .channels: await channels.send(requests, until: deadline)
            }
        return outcomes.map { .outcome($0) }
    }

    private func replacement(of refused: ProviderToken, for fault: ProviderTokenCache.Fault) -> ProviderToken? {
        let now = now()
        do throws(ProviderKeyError) {
            let (replacement, isNew) = try tokens.withLock { cache throws(ProviderKeyError) in
                let newest = cache.newest
                let replacement = try cache.replacement(of: refused, for: fault, at: now)
                return (replacement, cache.newest != newest)
            }
            // Of the many that met the same answer one tells of it.
            if isNew, fault == .expired, now - refused.issuedAt < ProviderTokenCache.renewalAge {
                logger.error(
                    "APNs calls a young provider token expired: is this machine's clock behind?",
                    metadata: ["tokenAgeSeconds": "\(now - refused.issuedAt)"]
                )
            }
            return replacement
        } catch {
            logger.error("No provider token", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
