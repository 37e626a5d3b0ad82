import HTTP2Transport
import Logging
import Synchronization

/// What belongs to one provider key: its token, and the connections that carry it.
///
/// Apple ties a connection to the key of its first push, so another key is another route.
final class APNsRoute: Sendable {
    private struct State {
        var tokens: ProviderTokenCache
        /// Those of the last token that was asked for.
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
            // It is changed in place.
            current = nil
            defer { current = credentials }
            return (push.request(&credentials), credentials.token)
        }
    }

    let key: ProviderKey

    private let pushes: HTTP2Client
    private let channels: HTTP2Client
    /// Locked while a token is signed, so that there is one signer; that takes well under a millisecond.
    private let state: Mutex<State>
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
        self.state = Mutex(State(tokens: ProviderTokenCache(key: key)))
        self.now = now
        self.logger = logger
    }

    /// What the connections for pushes do.
    func statistics() async -> HTTP2ClientStatistics { await pushes.statistics() }

    /// How old the newest provider token is; nil before the first.
    func tokenAge(at now: Int64) -> Duration? {
        state.withLock { $0.tokens.age(at: now) }.map { .seconds($0) }
    }

    /// Brings up the connections for pushes; those for channels come when they are needed.
    func connect() {
        pushes.connect()
    }

    /// How many connections for pushes take requests now.
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

    /// Sends messages, once more with another provider token where APNs refuses the first for its age.
    func send(
        _ messages: [some APNsMessage],
        to door: APNsDoor,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsAnswer] {
        let credentials: Credentials
        do throws(ProviderKeyError) {
            credentials = try state.withLock { state throws(ProviderKeyError) in try state.credentials(at: now()) }
        } catch {
            return messages.map { _ in .noToken(error) }
        }
        let answers = await send(messages, with: credentials, to: door, until: deadline)
        return await heal(answers, to: messages, with: credentials.token, at: door, until: deadline)
    }

    /// Sends one push, without the detours of many.
    func send(_ push: APNsPush, until deadline: ContinuousClock.Instant) async -> APNsAnswer {
        let request: HTTP2ClientRequest
        let token: ProviderToken
        do throws(ProviderKeyError) {
            (request, token) = try state.withLock { state throws(ProviderKeyError) in
                try state.request(for: push, at: now())
            }
        } catch {
            return .noToken(error)
        }
        let answer = APNsAnswer.outcome(await pushes.send(request, until: deadline))
        if answer.tokenFault == nil { return answer }
        // One answer in, one out.
        return await heal([answer], to: [push], with: token, at: .pushes, until: deadline)[0]
    }

    private func send(
        _ messages: [some APNsMessage],
        with credentials: Credentials,
        to door: APNsDoor,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsAnswer] {
        var credentials = credentials
        let requests = messages.map { $0.request(&credentials) }
        let outcomes =
            switch door {
            case .pushes: await pushes.send(requests, until: deadline)
            case .channels: await channels.send(requests, until: deadline)
            }
        return outcomes.map { .outcome($0) }
    }

    /// Sends those again whose provider token was refused, where another one may help.
    private func heal(
        _ answers: [APNsAnswer],
        to messages: [some APNsMessage],
        with token: ProviderToken,
        at door: APNsDoor,
        until deadline: ContinuousClock.Instant
    ) async -> [APNsAnswer] {
        let refused = answers.indices.filter { answers[$0].tokenFault != nil }
        guard let fault = refused.first.flatMap({ answers[$0].tokenFault }),
            let other = replacement(of: token, for: fault)
        else { return answers }
        var answers = answers
        let again = await send(refused.map { messages[$0] }, with: Credentials(other), to: door, until: deadline)
        for (index, answer) in zip(refused, again) { answers[index] = answer }
        return answers
    }

    private func replacement(of refused: ProviderToken, for fault: ProviderTokenCache.Fault) -> ProviderToken? {
        let now = now()
        do throws(ProviderKeyError) {
            let (replacement, isNew) = try state.withLock { state throws(ProviderKeyError) in
                let newest = state.tokens.newest
                let replacement = try state.tokens.replacement(of: refused, for: fault, at: now)
                return (replacement, state.tokens.newest != newest)
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
