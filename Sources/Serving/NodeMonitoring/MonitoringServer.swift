import Foundation
public import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import RangersMetrics
public import ServiceLifecycle
import ServiceRuntime

/// The monitoring server of a node, on a port of its own: `/metrics`, `/healthz` and `/readyz`.
///
/// It requires no token, so the port must not be reachable from outside.
public struct MonitoringServer: Service {
    private let registry: MetricRegistry
    private let readiness: Readiness
    private let host: String
    private let port: Int
    private let limits: ServingLimits
    private let metrics: HTTPMetrics
    private let logger: Logger
    private let onServing: @Sendable (Int) -> Void

    /// Creates a server.
    ///
    /// It starts to listen in ``run()``.
    /// - Parameters:
    ///   - registry: the metrics.
    ///   - readiness: the readiness for `/readyz`.
    ///   - host: the address or host name to listen on.
    ///   - port: the port to listen on; zero chooses a free one.
    ///   - limits: the timeouts of clients, and the maximum number of connections.
    ///   - metrics: counts requests that reach no route.
    ///   - logger: the logger of the server.
    ///   - onServing: called with the port once the server listens.
    public init(
        registry: MetricRegistry,
        readiness: Readiness,
        host: String,
        port: Int,
        limits: ServingLimits,
        metrics: HTTPMetrics,
        logger: Logger,
        onServing: @escaping @Sendable (_ port: Int) -> Void
    ) {
        self.registry = registry
        self.readiness = readiness
        self.host = host
        self.port = port
        self.limits = limits
        self.metrics = metrics
        self.logger = logger
        self.onServing = onServing
    }

    /// Serves until graceful shutdown or cancellation.
    /// - Throws: an error of NIO if the port is in use.
    public func run() async throws {
        let server = HTTPServer(
            router: router,
            host: host,
            port: port,
            limits: limits,
            tls: nil,
            services: [],
            runtime: .system,
            metrics: metrics,
            logger: logger,
            onServing: onServing
        )
        try await server.run()
    }

    private var router: Router<ServingContext> {
        let router = Router(context: ServingContext.self, options: .autoGenerateHeadEndpoints)
        router.get("metrics") { _, _ in
            Self.response(.ok, "text/plain; version=0.0.4; charset=utf-8", await registry.text())
        }
        router.get("healthz") { _, _ in Self.response(.ok, Self.plain, "ok\n") }
        router.get("readyz") { _, _ -> Response in
            let failures = await readiness.failures
            let lines = (failures + (await readiness.restrictions)).map { "\($0.name): \($0.reason)\n" }.joined()
            guard !failures.isEmpty else { return Self.response(.ok, Self.plain, "ready\n" + lines) }
            return Self.response(.serviceUnavailable, Self.plain, lines)
        }
        return router
    }

    private static let plain = "text/plain; charset=utf-8"

    private static func response(_ status: HTTPResponse.Status, _ type: String, _ text: String) -> Response {
        let body = ByteBuffer(string: text)
        return Response(
            status: status,
            headers: [.contentType: type, .cacheControl: "no-store", .contentLength: "\(body.readableBytes)"],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
