package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
package import ServiceLifecycle
package import ServiceRuntime

/// An HTTP server for a router.
///
/// Connections have timeouts, and requests have deadlines.
///
/// On graceful shutdown it accepts no new connections and ends when the requests in flight have their responses.
package struct HTTPServer: Service {
    /// The length of the kernel's accept queue: the maximum that Linux grants by default (somaxconn).
    private static let backlog = 4_096

    private let responder: RouterResponder<ServingContext>
    private let host: String
    private let port: Int
    private let limits: ServingLimits
    private let tls: ServerTLSContext?
    private let services: [any Service]
    private let runtime: Runtime
    private let metrics: HTTPMetrics
    private let logger: Logger
    private let onServing: @Sendable (Int) async -> Void

    /// Creates a server, which listens from ``run()`` on.
    /// - Parameters:
    ///   - router: the routes.
    ///   - host: the address or host name to listen on.
    ///   - port: the port to listen on; zero chooses a free one.
    ///   - limits: the timeouts of clients, and the maximum number of connections.
    ///   - tls: the TLS identity; nil for plain HTTP/1.1.
    ///   - services: services to run with the server. They shut down after it.
    ///   - runtime: clock and randomness for request identifiers.
    ///   - metrics: counts requests that reach no route.
    ///   - logger: the logger of connections and requests.
    ///   - onServing: called with the port once the server listens.
    package init(
        router: Router<ServingContext>,
        host: String,
        port: Int,
        limits: ServingLimits,
        tls: ServerTLSContext?,
        services: [any Service],
        runtime: Runtime,
        metrics: HTTPMetrics,
        logger: Logger,
        onServing: @escaping @Sendable (_ port: Int) async -> Void
    ) {
        responder = router.buildResponder()
        self.host = host
        self.port = port
        self.limits = limits
        self.tls = tls
        self.services = services
        self.runtime = runtime
        self.metrics = metrics
        self.logger = logger
        self.onServing = onServing
    }

    package func run() async throws {
        let deadlines = RequestDeadlines(timeout: limits.requestTimeout)
        let application = Application(
            responder: DeadlineResponder(base: responder, deadlines: deadlines),
            server: HTTPServerBuilder { responder in
                ClientChannel(
                    limits: limits,
                    tls: tls,
                    problems: ProblemResponder(runtime: runtime, metrics: metrics, logger: logger),
                    responder: responder
                )
            },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port),
                backlog: Self.backlog,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.maxConnections, logger: logger)
            ),
            // The server is the last service, and so the first to stop.
            services: [deadlines] + services,
            onServerRunning: { channel in await onServing(channel.localAddress?.port ?? port) },
            logger: logger
        )
        try await application.run()
    }
}
