import Encodings
import Hummingbird
import Logging
import ServiceLifecycle
import ServiceRuntime
import TestSupport

@testable import HTTPServing

/// A server with three routes: `GET /healthz`, `GET /large` and `POST /bodies`.
struct TestServer: Sendable {
    let port: Int
    let logs: LogRecorder

    /// Runs a test with a server on a free port.
    static func with<Result: Sendable>(
        _ limits: ServingLimits = ServingLimits(),
        tls: ServerTLSContext? = nil,
        _ body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        let logs = LogRecorder()
        return try await withListeningServer { onListening in
            ServiceGroup(services: [server(limits, tls, logs.logger, onListening)], logger: logs.logger)
        } _: { _, port in
            try await body(TestServer(port: port, logs: logs))
        }
    }

    private static func server(
        _ limits: ServingLimits,
        _ tls: ServerTLSContext?,
        _ logger: Logger,
        _ onListening: @escaping @Sendable (Int) -> Void
    ) -> HTTPServer {
        let runtime = Runtime(now: { Timestamp(epochSeconds: 0) }, randomBits: { 0 })
        let metrics = HTTPMetrics()
        let router = Router(context: ServingContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AccessLogMiddleware(runtime: runtime, metrics: metrics, details: { _, _ in [:] }))
        router.add(middleware: ProblemMiddleware(problem: { _ in nil }, adapted: { problem, _ in problem }))
        router.get("healthz") { _, _ in text(#"{"status":"ok"}"#) }
        router.get("large") { _, _ in text(String(repeating: "a", count: 100_000)) }
        router.post("bodies") { request, _ in text("\(try await request.readBody().count) bytes") }
        return HTTPServer(
            router: router,
            host: "127.0.0.1",
            port: 0,
            limits: limits,
            tls: tls,
            services: [],
            runtime: runtime,
            metrics: metrics,
            logger: logger,
            onServing: onListening
        )
    }

    private static func text(_ text: String) -> Response {
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
