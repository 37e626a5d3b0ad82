import HTTP2Transport
import Logging
import Synchronization
import Testing

/// A request handler that calls a closure.
struct ClosureHandler: HTTP2RequestHandler {
    let body: @Sendable (HTTP2Request, HTTP2ServerConnection) -> HTTP2Response?

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        body(request, connection)
    }
}

/// A server on this machine, and the authority that issued its certificate.
struct TestPeer {
    /// The path of requests that have an immediate response.
    private static let warmUpPath = "/warm-up"

    let server: HTTP2Server
    let authority: CertificateAuthority

    init(
        for hosts: [String] = ["localhost", "127.0.0.1"],
        maxConcurrentStreams: Int = 1000,
        windowBytes: Int = 16 * 1024 * 1024,
        _ body: @escaping @Sendable (HTTP2Request, HTTP2ServerConnection) -> HTTP2Response?
    ) throws {
        authority = try CertificateAuthority(name: "Test authority")
        let configuration = HTTP2Server.Configuration(
            identity: try authority.issueIdentity(for: hosts),
            maxConcurrentStreams: maxConcurrentStreams,
            windowBytes: windowBytes
        )
        let handler = ClosureHandler { request, connection in
            request.path == Self.warmUpPath ? HTTP2Response(status: 200) : body(request, connection)
        }
        server = try HTTP2Server(configuration: configuration, handler: handler)
    }

    /// Creates a client of this server; the closure changes its configuration.
    func makeClient(_ change: (inout HTTP2Client.Configuration) -> Void = { _ in }) throws -> HTTP2Client {
        try HTTP2TransportTests.makeClient(port: server.port, trusting: authority, change)
    }

    /// Creates a client that has received a response, and so uses all streams that the server allows.
    func makeWarmClient(_ change: (inout HTTP2Client.Configuration) -> Void = { _ in }) async throws -> HTTP2Client {
        let client = try makeClient(change)
        try #require(await client.send(post(Self.warmUpPath)).status == 200)
        return client
    }
}

/// Creates a client of a server on this machine; the closure changes its configuration.
func makeClient(
    host: String = "127.0.0.1",
    port: Int,
    trusting authority: CertificateAuthority,
    _ change: (inout HTTP2Client.Configuration) -> Void = { _ in }
) throws -> HTTP2Client {
    var configuration = HTTP2Client.Configuration(
        host: host,
        port: port,
        trust: .authorities(pem: authority.certificatePEM)
    )
    // Tests need not wait long for a new connection.
    configuration.initialBackoff = .milliseconds(10)
    configuration.probeInterval = .milliseconds(10)
    configuration.stagger = .milliseconds(10)
    // A slow machine changes neither the number of connections nor the outcomes.
    configuration.maxConnections = 1
    configuration.requestTimeout = .seconds(60)
    change(&configuration)
    let logger = Logger(label: "test", factory: SwiftLogNoOpLogHandler.init)
    return try HTTP2Client(configuration: configuration, logger: logger)
}

/// Returns a POST request with a body.
func post(_ path: String, _ body: String = "", headers: [HTTP2Header] = []) -> HTTP2ClientRequest {
    HTTP2ClientRequest(method: "POST", path: path, headers: headers, body: Array(body.utf8))
}

/// A value that several threads change and that a test reads.
final class Recorder<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) {
        content = Mutex(value)
    }

    var value: Value { content.withLock { $0 } }

    /// Changes the value, and returns the result of the closure.
    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        content.withLock { body(&$0) }
    }
}

extension HTTP2Outcome {
    /// The status of the response, if there is one.
    var status: Int? {
        guard case .response(let response) = self else { return nil }
        return response.status
    }
}
