import GameCore
public import GameEngine
public import GameStore
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import PushCadence
public import ServiceLifecycle
public import ServiceRuntime

/// REST for players (`/v1`) and for operators (`/admin/v1`).
///
/// It knows who calls, whether a request is well-formed and how answers look; what may happen is for the rules in
/// GameCore, and what does happen for ``GameCommands``. Nodes share nothing but the database, so any number of them
/// can serve side by side.
public struct PartyAPI: Sendable {
    /// How many connections wait in the kernel before they are refused: what Linux grants at most by default (somaxconn).
    private static let backlog = 4_096

    private let store: GameStore
    private let diagnosisStore: GameStore
    private let commands: GameCommands
    private let runtime: Runtime
    private let readiness: Readiness
    private let feed: EventFeed
    private let pushes: OperatorPushes?
    private let cadence: CadencePolicy
    private let limits: RequestLimits
    private let origins: AllowedOrigins?
    private let metrics: APIMetrics
    private let logger: Logger

    /// An API on a store.
    /// - Parameters:
    ///   - store: what is read.
    ///   - diagnosisStore: the same for operators who ask what is wrong, over a pool of its own that gives up soon; nil for
    ///     `store`.
    ///   - commands: what changes something, on the same store.
    ///   - runtime: clock and randomness; tokens are made of the latter.
    ///   - readiness: what `GET /readyz` asks; nil for the database alone.
    ///   - wakeSignal: rung when something was played in this process; must be waited on by nobody else.
    ///   - streams: how event streams work.
    ///   - pushes: how operators reach APNs through this node; nil where it has no way there.
    ///   - cadence: the dispatchers' policy: what operators are shown of a push is as it would go out.
    ///   - limits: how much clients may ask of this node; without it, as much as they like.
    ///   - origins: of web pages whose scripts may use the players' routes; nil for none.
    ///   - metrics: what is counted.
    ///   - logger: gets one line for each request, and the reasons of failures.
    public init(
        store: GameStore,
        diagnosisStore: GameStore? = nil,
        commands: GameCommands,
        runtime: Runtime,
        readiness: Readiness? = nil,
        wakeSignal: WakeSignal = WakeSignal(),
        streams: StreamSettings = StreamSettings(),
        pushes: OperatorPushes? = nil,
        cadence: CadencePolicy = CadencePolicy(),
        limits: RequestLimits = RequestLimits(),
        origins: AllowedOrigins? = nil,
        metrics: APIMetrics = APIMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.diagnosisStore = diagnosisStore ?? store
        self.commands = commands
        self.runtime = runtime
        self.readiness = readiness ?? Readiness([.database(store)])
        feed = EventFeed(store: store, wakeSignal: wakeSignal, settings: streams, metrics: metrics, logger: logger)
        self.pushes = pushes
        self.cadence = cadence
        self.limits = limits
        self.origins = origins
        self.metrics = metrics
        self.logger = logger
    }

    /// A server of this API.
    ///
    /// On graceful shutdown it takes no new connections, tells event streams that it stops, and ends when the requests
    /// under way are answered.
    /// - Parameters:
    ///   - host: where to listen: an address or a name of this machine.
    ///   - port: where to listen; zero takes a free one.
    ///   - limits: how long clients may take, and how many there may be.
    ///   - tls: what clients are shown, who then speak HTTP/2 or HTTP/1.1 over TLS; nil serves plain HTTP/1.1.
    ///   - onServing: called once it listens, with the port.
    /// - Returns: a service; its `run()` throws when the port is taken.
    public func server(
        host: String,
        port: Int,
        limits: ServingLimits = ServingLimits(),
        tls: TLSContext? = nil,
        onServing: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) -> some Service {
        let deadlines = RequestDeadlines(limit: limits.requestTimeout)
        let application = Application(
            responder: DeadlineResponder(base: router().buildResponder(), deadlines: deadlines),
            server: HTTPServerBuilder { responder in
                ClientChannel(
                    limits: limits,
                    tls: tls,
                    refusals: Refusals(runtime: runtime, metrics: metrics, logger: logger),
                    responder: responder
                )
            },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                backlog: Self.backlog,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections, logger: logger)
            ),
            // The first to stop is the server, which comes behind them.
            services: [deadlines, feed],
            onServerRunning: { channel in await onServing(channel.localAddress?.port ?? port) },
            logger: logger
        )
        return StreamingServer(application: application, feed: feed)
    }

    private func router() -> Router<APIContext> {
        let router = describedRouter()
        router.refuseOtherMethods()
        return router
    }

    /// The routes that `openapi.yaml` describes: all of them.
    func describedRouter() -> Router<APIContext> {
        let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ExchangeMiddleware(runtime: runtime, metrics: metrics))
        router.add(middleware: PathMiddleware())
        if let origins {
            router.add(middleware: CrossOriginMiddleware(origins: origins))
        }
        if limits.hasAny {
            router.add(middleware: LimitMiddleware(limits, runtime: runtime))
        }
        router.add(middleware: ProblemMiddleware())
        let gate = Gate(store: store, diagnosisStore: diagnosisStore, runtime: runtime)
        HealthRoutes(readiness: readiness).add(to: router)
        DescriptionRoutes().add(to: router)
        CatalogueRoutes().add(to: router, gate)
        PlayerRoutes(store: store, commands: commands, runtime: runtime).add(to: router, gate)
        PartyRoutes(store: store, commands: commands).add(to: router, gate)
        AdventureRoutes(store: store, commands: commands).add(to: router, gate)
        StreamRoutes(store: store, feed: feed).add(to: router, gate)
        ActivityRoutes(store: store, commands: commands).add(to: router, gate)
        OperatorRoutes(store: store, commands: commands).add(to: router, gate)
        OversightRoutes(store: store, commands: commands, runtime: runtime).add(to: router, gate)
        AuditRoutes(store: store).add(to: router, gate)
        CampaignRoutes(store: store, commands: commands).add(to: router, gate)
        TestPushRoutes(store: store, runtime: runtime, pushes: pushes).add(to: router, gate)
        ActivityPushRoutes(store: store, commands: commands, cadence: cadence, runtime: runtime)
            .add(to: router, gate)
        DoctorRoutes(store: diagnosisStore, pushes: pushes, runtime: runtime).add(to: router, gate)
        return router
    }
}

/// A server that ends its event streams when it is asked to stop, since it waits for all answers under way.
private struct StreamingServer<Server: Service>: Service {
    let application: Server
    let feed: EventFeed

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await application.run()
        } onGracefulShutdown: {
            feed.stop()
        }
    }
}
