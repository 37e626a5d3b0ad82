import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
public import RangersClient
import Synchronization

/// A transport for the requests of many players in one process, over AsyncHTTPClient.
///
/// `URLSession` on Linux keeps a core busy while it waits for an event stream, which a benchmark next to the server
/// cannot afford.
///
/// Idle connections are kept for a moment and close with the process, as do the clients.
public struct PlayersTransport: RangersTransport {
    /// The connection timeout: far more than any network needs.
    private static let connectSeconds: Int64 = 10
    /// The idle timeout: shorter than any server's, so that no request uses a connection that the server is closing.
    private static let idleSeconds: Int64 = 4
    /// The soft limit of connections per host: each event stream has its own, and players must not wait for each other.
    private static let maxConnections = 10_000

    /// Clients by idle read timeout, which is a setting of the whole client.
    private static let clients = Mutex<[Duration: HTTPClient]>([:])

    /// Creates a transport; all transports share their connections.
    public init() {}

    /// Sends a request.
    /// - Returns: the response as soon as its head has arrived.
    /// - Throws: `CancellationError`; `HTTPClientError`, and NIO's connection errors.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.method = .init(rawValue: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
        // Only the read timeout limits a response.
        let client = Self.client(idleTimeout: request.idleTimeout)
        let response: HTTPClientResponse
        do {
            response = try await client.execute(message, deadline: .distantFuture)
        } catch {
            try Task.checkCancellation()
            throw error
        }
        return TransportResponse(
            status: Int(response.status.code),
            headers: Dictionary(
                response.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { "\($0), \($1)" }
            ),
            body: Self.parts(of: response.body)
        )
    }

    /// Returns the body's chunks on demand; dropping the stream cancels the request.
    private static func parts(of body: HTTPClientResponse.Body) -> AsyncThrowingStream<Data, any Error> {
        // The body has one sequential reader.
        nonisolated(unsafe) var parts = body.makeAsyncIterator()
        return AsyncThrowingStream { try await parts.next().map { Data($0.readableBytesView) } }
    }

    private static func client(idleTimeout: Duration) -> HTTPClient {
        clients.withLock { clients in
            if let client = clients[idleTimeout] { return client }
            var configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(
                    connect: .seconds(connectSeconds),
                    read: .nanoseconds(Int64(idleTimeout / .nanoseconds(1)))
                ),
                connectionPool: .init(
                    idleTimeout: .seconds(idleSeconds),
                    concurrentHTTP1ConnectionsPerHostSoftLimit: maxConnections
                )
            )
            configuration.httpVersion = .http1Only
            // The caller must see connection failures immediately and decides when to retry.
            configuration.connectionPool.retryConnectionEstablishment = false
            let client = HTTPClient(configuration: configuration)
            clients[idleTimeout] = client
            return client
        }
    }
}
