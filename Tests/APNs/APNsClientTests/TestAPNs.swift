import APNsClient
import Cryptography
import Encodings
import Foundation
import HTTP2Transport
import Logging
import Synchronization
import Testing

/// An APNs client with a manual clock, and a server in place of APNs that responds by a closure.
final class TestAPNs: Sendable {
    let client: APNsClient
    let clock: Recorder<Int64>
    let requests = Recorder<[HTTP2Request]>([])
    /// A stream with one element for each new connection.
    let connections: AsyncStream<Void>

    private let server: HTTP2Server
    private let caFile: URL

    init(
        requestTimeout: Duration = .seconds(40),
        maxConcurrentStreams: Int = 1000,
        maxOutstandingPushes: Int = 100_000,
        logger: Logger = quiet,
        _ body: @escaping @Sendable (HTTP2Request, HTTP2ServerConnection) -> HTTP2Response?
    ) throws {
        let authority = try CertificateAuthority(name: "Test authority")
        caFile = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        try authority.certificatePEM.write(to: caFile, atomically: true, encoding: .utf8)
        let (connections, connected) = AsyncStream.makeStream(of: Void.self)
        self.connections = connections
        server = try HTTP2Server(
            configuration: .init(
                identity: try authority.issueIdentity(for: ["127.0.0.1"]),
                maxConcurrentStreams: maxConcurrentStreams
            ),
            handler: Handler(requests: requests, connected: connected, body: body)
        )
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            port: server.port,
            caFile: caFile.path,
            providerKey: try makeProviderKey()
        )
        // Apple has another host for channel management; here the paths differ.
        configuration.channelPort = server.port
        configuration.requestTimeout = requestTimeout
        configuration.maxOutstandingPushes = maxOutstandingPushes
        configuration.shutdownGrace = .seconds(40)
        // A slow machine does not change the number of connections.
        configuration.maxConnections = 1
        let clock = Recorder<Int64>(1_700_000_000)
        self.clock = clock
        client = try APNsClient(
            configuration: configuration,
            now: { clock.value },
            logger: logger
        )
    }

    var port: Int { server.port }

    deinit {
        try? FileManager.default.removeItem(at: caFile)
    }
}

/// Records the requests, and responds with the result of a closure.
private struct Handler: HTTP2RequestHandler {
    let requests: Recorder<[HTTP2Request]>
    let connected: AsyncStream<Void>.Continuation
    let body: @Sendable (HTTP2Request, HTTP2ServerConnection) -> HTTP2Response?

    func connectionOpened(_ connection: HTTP2ServerConnection) {
        connected.yield()
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        requests.change { $0.append(request) }
        return body(request, connection)
    }
}

/// A value that several threads change and that a test reads.
final class Recorder<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) {
        content = Mutex(value)
    }

    var value: Value { content.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) {
        content.withLock { body(&$0) }
    }
}

/// A logger without output.
let quiet = Logger(label: "test", factory: SwiftLogNoOpLogHandler.init)

/// Returns a new key.
func makeProviderKey() throws -> ProviderKey {
    try ProviderKey(pem: try P256PrivateKey.generate().pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
}

/// Returns a push to a device by its number.
func makePush(_ number: Int = 0, priority: APNsPush.Priority = .high) throws -> APNsPush {
    let digits = String(number, radix: 16)
    let hex = String(repeating: "0", count: 160 - digits.count) + digits
    return APNsPush(
        deviceToken: try #require(DeviceToken(hex: hex)),
        topic: "com.example.rangers.push-type.liveactivity",
        priority: priority,
        expirationEpochSeconds: 1_700_000_600,
        id: UUID(),
        payload: Array(#"{"aps":{"number":\#(number)}}"#.utf8)
    )
}

/// Returns a rejection in the form of APNs.
func reject(_ status: Int, _ reason: String) -> HTTP2Response {
    HTTP2Response(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
}

/// Returns the `iat` of a request's provider token.
func issueTime(of request: HTTP2Request) -> Int64? {
    struct Claims: Decodable {
        let iat: Int64
    }
    let parts = (request.headers["authorization"] ?? "").split(separator: ".")
    guard parts.count == 3 else { return nil }
    return Data(base64URL: parts[1]).flatMap { try? JSONDecoder().decode(Claims.self, from: $0) }?.iat
}
