import HTTP2Transport
import Logging
import Synchronization

/// What belongs to one provider key: its token, and the connections that carry it.
///
/// Apple ties a connection to the key of its first push, so another key is another route.
final class APNsRoute: Sendable {
    let key: ProviderKey

    private let http: HTTP2Client
    /// Locked while a token is signed, so that there is one signer; that takes well under a millisecond.
    private let tokens: Mutex<ProviderTokenCache>
    private let now: @Sendable () -> Int64
    private let logger: Logger

    /// A route that connects when it is first needed, or told to.
    init(
        key: ProviderKey,
        transport: HTTP2Client.Configuration,
        now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) throws(TransportError) {
        self.key = key
        self.http = try HTTP2Client(configuration: transport, logger: logger)
        self.tokens = Mutex(ProviderTokenCache(key: key))
        self.now = now
        self.logger = logger
    }

    func connect() {
        http.connect()
    }

    func close() {
        http.close()
    }

    func shutDown(within grace: Duration) async {
        await http.shutDown(within: grace)
    }

    /// Sends a request for each item, once more with another provider token where APNs refuses the first for its age.
    ///
    /// - Throws: when no token can be signed; nothing was sent then.
    func send<Item>(
        _ items: [Item],
        request: (Item, ProviderToken) -> HTTP2ClientRequest
    ) async throws(ProviderKeyError) -> [HTTP2Outcome] {
        let token = try tokens.withLock { cache throws(ProviderKeyError) in try cache.current(at: now()) }
        var outcomes = await http.send(items.map { request($0, token) })
        let refused = outcomes.indices.filter { outcomes[$0].tokenFault != nil }
        if let fault = refused.first.flatMap({ outcomes[$0].tokenFault }),
            let other = replacement(of: token, for: fault)
        {
            let again = await http.send(refused.map { request(items[$0], other) })
            for (index, outcome) in zip(refused, again) { outcomes[index] = outcome }
        }
        return outcomes
    }

    private func replacement(of refused: ProviderToken, for fault: ProviderTokenCache.Fault) -> ProviderToken? {
        let now = now()
        if fault == .expired, now - refused.issuedAt < ProviderTokenCache.renewalAge {
            logger.error(
                "APNs calls a young provider token expired: is this machine's clock behind?",
                metadata: ["tokenAgeSeconds": "\(now - refused.issuedAt)"]
            )
        }
        do throws(ProviderKeyError) {
            return try tokens.withLock { cache throws(ProviderKeyError) in
                try cache.replacement(of: refused, for: fault, at: now)
            }
        } catch {
            logger.error("No provider token", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

extension HTTP2Outcome {
    /// What APNs finds wrong with the provider token, where another may help.
    fileprivate var tokenFault: ProviderTokenCache.Fault? {
        guard case .response(let response) = self, response.status == 403 else { return nil }
        let reason = APNsRefusal(response, at: 0).reason
        if reason == .expiredProviderToken { return .expired }
        return reason == .invalidProviderToken ? .invalid : nil
    }
}
