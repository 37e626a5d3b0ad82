import GameCore
public import GameEngine
public import GameStore
public import HTTPServing
import Hummingbird
public import Logging
public import PushCadence
public import ServiceLifecycle
public import ServiceRuntime
public import SignInWithApple

/// The REST API for players (`/v1`) and for operators (`/admin/v1`).
///
/// It authenticates callers, validates requests and writes responses; the rules of the game are in GameCore, and
/// ``GameCommands`` applies them. Nodes share no state but the database, so any number of them can serve side by side.
public struct PartyAPI: Sendable {
    /// The callers that a server is for.
    public enum Audience: Sendable {
        /// Players and operators.
        case everyone
        /// Players: the server has no route below `/admin`.
        case players
        /// Operators: the server has no route below `/v1`.
        case operators

        /// Whether the server has the routes of players.
        var includesPlayers: Bool { self != .operators }
        /// Whether the server has the routes of operators.
        var includesOperators: Bool { self != .players }
    }

    private let store: GameStore
    private let diagnosisStore: GameStore
    private let commands: GameCommands
    private let runtime: Runtime
    private let readiness: Readiness
    private let feed: EventFeed
    private let apple: AppleSignIn?
    private let diagnostics: APNsDiagnostics?
    private let cadence: CadencePolicy
    private let limits: RequestLimits
    private let origins: AllowedOrigins?
    private let metrics: HTTPMetrics
    private let receipts: ReceiptMetrics
    private let logger: Logger

    /// Creates an API for a store.
    /// - Parameters:
    ///   - store: the store that requests read.
    ///   - diagnosisStore: the same store over a pool of its own with short timeouts, for the diagnosis of faults; nil
    ///     for `store`.
    ///   - commands: the commands, on the same store.
    ///   - runtime: the clock, and the randomness for tokens.
    ///   - readiness: the readiness for `GET /readyz`; nil to check the database only.
    ///   - wakeSignal: notified of new events by an engine in this process. Nothing else may wait for it.
    ///   - streams: the settings of event streams.
    ///   - apple: verifies identity tokens of Sign in with Apple; nil if it is off.
    ///   - diagnostics: the APNs diagnostics for operators; nil if this node has no connection to APNs.
    ///   - cadence: the policy of the dispatchers, so that previews of pushes match what they send.
    ///   - limits: the rate limits of this node; none by default.
    ///   - origins: the origins of web pages whose scripts may call the players' routes; nil for none.
    ///   - metrics: the metrics of the server.
    ///   - receipts: the metrics of what devices report.
    ///   - logger: the logger, with one line for each request.
    public init(
        store: GameStore,
        diagnosisStore: GameStore? = nil,
        commands: GameCommands,
        runtime: Runtime,
        readiness: Readiness? = nil,
        wakeSignal: WakeSignal = WakeSignal(),
        streams: StreamSettings = StreamSettings(),
        apple: AppleSignIn? = nil,
        diagnostics: APNsDiagnostics? = nil,
        cadence: CadencePolicy = CadencePolicy(),
        limits: RequestLimits = RequestLimits(),
        origins: AllowedOrigins? = nil,
        metrics: HTTPMetrics = HTTPMetrics(),
        receipts: ReceiptMetrics = ReceiptMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.diagnosisStore = diagnosisStore ?? store
        self.commands = commands
        self.runtime = runtime
        self.readiness = readiness ?? Readiness([.database(store)])
        feed = EventFeed(store: store, wakeSignal: wakeSignal, settings: streams, metrics: metrics, logger: logger)
        self.apple = apple
        self.diagnostics = diagnostics
        self.cadence = cadence
        self.limits = limits
        self.origins = origins
        self.metrics = metrics
        self.receipts = receipts
        self.logger = logger
    }

    /// Returns a server of this API.
    ///
    /// On graceful shutdown it accepts no new connections, ends the event streams, and stops when all requests in
    /// flight have their responses.
    /// - Parameters:
    ///   - audience: the callers; health checks and the description are for all of them.
    ///   - host: the address or host name to listen on.
    ///   - port: the port to listen on; zero chooses a free one.
    ///   - limits: the timeouts of clients, and the maximum number of connections.
    ///   - tls: the TLS identity, for HTTP/2 and HTTP/1.1 over TLS; nil for plain HTTP/1.1.
    ///   - onServing: called with the port once the server listens.
    /// - Returns: a service whose `run()` throws if the port is in use.
    public func server(
        for audience: Audience = .everyone,
        host: String,
        port: Int,
        limits: ServingLimits = ServingLimits(),
        tls: ServerTLSContext? = nil,
        onServing: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) -> some Service {
        let router = describedRouter(for: audience)
        router.rejectOtherMethods()
        let server = HTTPServer(
            router: router,
            host: host,
            port: port,
            limits: limits,
            tls: tls,
            // Only players have event streams.
            services: audience.includesPlayers ? [feed] : [],
            runtime: runtime,
            metrics: metrics,
            logger: logger,
            onServing: onServing
        )
        return StreamingServer(server: server, feed: feed)
    }

    /// Returns a router with the routes of an audience; `openapi.yaml` describes each of them.
    func describedRouter(for audience: Audience = .everyone) -> Router<ServingContext> {
        let router = Router(context: ServingContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AccessLogMiddleware(runtime: runtime, metrics: metrics, details: Self.accessLogDetails))
        router.add(middleware: TracingMiddleware())
        router.add(middleware: PathMiddleware())
        if let origins {
            // The operators' routes are excluded: no page should ever hold an operator's token.
            router.add(middleware: CrossOriginMiddleware(origins: origins, excludedPrefix: HTTPProblem.operatorsPath))
        }
        if limits.hasAny {
            router.add(middleware: RateLimitMiddleware(limits, runtime: runtime, subject: Self.rateLimitSubject))
        }
        router.add(middleware: ProblemMiddleware(problem: { HTTPProblem($0) }, adapted: { $0.adapted(to: $1) }))
        let authenticator = Authenticator(store: store, diagnosisStore: diagnosisStore, runtime: runtime)
        HealthRoutes(readiness: readiness).add(to: router)
        DescriptionRoutes().add(to: router)
        if audience.includesPlayers { addPlayersRoutes(to: router, authenticator) }
        if audience.includesOperators { addOperatorsRoutes(to: router, authenticator) }
        return router
    }

    private func addPlayersRoutes(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        CatalogueRoutes().add(to: router, authenticator)
        PlayerRoutes(store: store, commands: commands, runtime: runtime).add(to: router, authenticator)
        ProgressRoutes(store: store, runtime: runtime).add(to: router, authenticator)
        IdentityRoutes(store: store, commands: commands).add(to: router, authenticator)
        AppleRoutes(commands: commands, apple: apple).add(to: router, authenticator)
        PartyRoutes(store: store, commands: commands).add(to: router, authenticator)
        AdventureRoutes(store: store, commands: commands).add(to: router, authenticator)
        RaidRoutes(store: store).add(to: router, authenticator)
        StreamRoutes(store: store, feed: feed).add(to: router, authenticator)
        SpectatorRoutes(store: store, commands: commands, feed: feed, proxies: limits.trustedProxies)
            .add(to: router, authenticator)
        ActivityRoutes(store: store, commands: commands).add(to: router, authenticator)
        DeviceRoutes(store: store, commands: commands).add(to: router, authenticator)
        ReceiptRoutes(recorder: ReceiptRecorder(store: store, metrics: receipts), runtime: runtime)
            .add(to: router, authenticator)
    }

    private func addOperatorsRoutes(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        OperatorAdventureRoutes(store: store, commands: commands).add(to: router, authenticator)
        OperatorRaidRoutes(store: store, commands: commands, runtime: runtime).add(to: router, authenticator)
        OperatorActivityRoutes(store: store, topic: diagnostics?.topic, runtime: runtime).add(to: router, authenticator)
        OperatorPartyRoutes(store: store, commands: commands, runtime: runtime).add(to: router, authenticator)
        OperatorPlayerRoutes(store: store, commands: commands, runtime: runtime).add(to: router, authenticator)
        AuditRoutes(store: store).add(to: router, authenticator)
        OperatorTokenRoutes(store: store, runtime: runtime).add(to: router, authenticator)
        CampaignRoutes(store: store, commands: commands).add(to: router, authenticator)
        ChannelRoutes(store: store).add(to: router, authenticator)
        TestPushRoutes(store: store, diagnostics: diagnostics).add(to: router, authenticator)
        RequestedPushRoutes(store: store, commands: commands, cadence: cadence, runtime: runtime)
            .add(to: router, authenticator)
        DoctorRoutes(store: diagnosisStore, diagnostics: diagnostics, runtime: runtime).add(to: router, authenticator)
    }

    /// Returns the adventure in a path, if it is the first parameter of the route.
    ///
    /// With the identifier, a log search finds the request and the lines of the engine and the dispatcher.
    @Sendable
    private static func accessLogDetails(path: String, route: String) -> Logger.Metadata {
        let prefix = route.utf8.prefix { $0 != UInt8(ascii: "{") }
        guard route.utf8.dropFirst(prefix.count).starts(with: "{adventureID}".utf8) else { return [:] }
        // The prefix has no parameters, so the path begins with it, too.
        let rest = path.utf8.dropFirst(prefix.count)
        let id = AdventureID(String(Substring(rest.prefix { $0 != UInt8(ascii: "/") })))
        return id.map { ["adventure": "\($0)"] } ?? [:]
    }

    /// Returns the token hash and the purpose of a request for the rate limits; nil for health checks.
    @Sendable
    private static func rateLimitSubject(of request: Request) -> RateLimitMiddleware.Subject? {
        let path = request.uri.path
        guard !HealthRoutes.paths.contains(path) else { return nil }
        let purpose: RateLimiter.Purpose =
            switch (request.method, path) {
            case (.post, "/v1/players"): .registration
            case (.post, "/v1/players/recover"), (.post, "/v1/players/sign-in"): .recovery
            case (.post, "/v1/parties/join"): .join
            case (_, let path) where path.hasPrefix(SpectatorRoutes.path): .join
            case (.post, let path) where path.hasPrefix("/v1/") && path.hasSuffix("/receipts"): .receipts
            default: .other
            }
        let tokenHash = request.bearerText.flatMap { BearerToken(String($0)) }?.hash
        return RateLimitMiddleware.Subject(tokenHash: tokenHash, purpose: purpose)
    }
}

/// A server that ends its event streams on graceful shutdown, so that the shutdown does not wait for them.
private struct StreamingServer: Service {
    let server: HTTPServer
    let feed: EventFeed

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await server.run()
        } onGracefulShutdown: {
            feed.stop()
        }
    }
}
