import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// A server with scripted responses that records the requests.
enum StubServer {
    /// A received request.
    struct ReceivedRequest: Hashable {
        let line: String
        let authorization: String?
        let body: String
        var key: String?
    }

    /// A scripted response.
    struct Reply: Sendable {
        let status: HTTPResponse.Status
        let body: String

        init(_ body: String, status: HTTPResponse.Status = .ok) {
            (self.body, self.status) = (body, status)
        }
    }

    /// Runs a test with a server on a free port that responds to all requests with the same reply.
    static func responding<Result: Sendable>(
        _ body: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        _ test: @escaping @Sendable (_ port: Int, _ requests: () -> [ReceivedRequest]) async throws -> Result
    ) async throws -> Result {
        try await responding(each: [Reply(body, status: status)], headers: headers, test)
    }

    /// Runs a test with a server on a free port that responds with one reply after the other; the last one repeats.
    static func responding<Result: Sendable>(
        each replies: [Reply],
        headers: HTTPFields = [:],
        _ test: @escaping @Sendable (_ port: Int, _ requests: () -> [ReceivedRequest]) async throws -> Result
    ) async throws -> Result {
        let requests = Mutex<[ReceivedRequest]>([])
        let (ports, port) = AsyncStream<Int>.makeStream()
        let responder = CallbackResponder { (request: Request, _: BasicRequestContext) in
            // A browser of another test looks for the events of its simulator, whose port this server may have by now.
            guard request.uri.path != "/api/events" else { return Response(status: .notFound) }
            let content = try await request.body.collect(upTo: 65_536)
            let line = "\(request.method) \(request.uri.path)"
            let received = ReceivedRequest(
                line: line,
                authorization: request.headers[.authorization],
                body: String(buffer: content),
                key: request.headers.first { $0.name.canonicalName == "idempotency-key" }?.value
            )
            let number = requests.withLock { requests in
                requests.append(received)
                return requests.count
            }
            let reply = replies[min(number, replies.count) - 1]
            let buffer = ByteBuffer(string: reply.body)
            return Response(status: reply.status, headers: headers, body: ResponseBody(byteBuffer: buffer))
        }
        let logger = Logger(label: "stub server") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            responder: responder,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: logger
        )
        let services = ServiceGroup(services: [application], logger: logger)
        return try await withThrowingTaskGroup { group in
            group.addTask {
                // The stream ends with the server, so that the test fails if the server cannot start.
                defer { port.finish() }
                try await services.run()
            }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.waitForAll()
                throw CancellationError()
            }
            let result = try await test(port) { requests.withLock(\.self) }
            await services.triggerGracefulShutdown()
            return result
        }
    }
}
