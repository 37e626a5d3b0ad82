import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import PartyAPI
public import RangersMetrics
public import ServiceLifecycle

/// What machines ask of a node, on a port of its own: `/metrics`, and `/healthz` and `/readyz` for nodes without API.
///
/// Nothing of it is for players, and nothing needs a token: the port is not to be reached from outside.
public struct MonitoringServer: Service {
    private let registry: MetricRegistry
    private let readiness: Readiness
    private let host: String
    private let port: Int
    private let logger: Logger
    private let onServing: @Sendable (Int) -> Void

    /// A server that does not listen yet.
    /// - Parameters:
    ///   - registry: what is told.
    ///   - readiness: what `/readyz` asks.
    ///   - host: where to listen: an address or a name of this machine.
    ///   - port: where to listen; zero takes a free one.
    ///   - logger: for failures.
    ///   - onServing: called once it listens, with the port.
    public init(
        registry: MetricRegistry,
        readiness: Readiness,
        host: String,
        port: Int,
        logger: Logger,
        onServing: @escaping @Sendable (_ port: Int) -> Void
    ) {
        self.registry = registry
        self.readiness = readiness
        self.host = host
        self.port = port
        self.logger = logger
        self.onServing = onServing
    }

    /// Serves until graceful shutdown or cancellation; throws when the port is taken.
    public func run() async throws {
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in onServing(channel.localAddress?.port ?? port) },
            logger: logger
        )
        try await application.run()
    }

    private var router: Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.get("metrics") { _, _ in
            Self.response(.ok, "text/plain; version=0.0.4; charset=utf-8", await registry.text())
        }
        router.get("healthz") { _, _ in Self.response(.ok, Self.plain, "ok\n") }
        router.get("readyz") { _, _ -> Response in
            let lacks = await readiness.lacks
            guard !lacks.isEmpty else { return Self.response(.ok, Self.plain, "ready\n") }
            let lines = lacks.map { "\($0.name): \($0.reason)\n" }
            return Self.response(.serviceUnavailable, Self.plain, lines.joined())
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
