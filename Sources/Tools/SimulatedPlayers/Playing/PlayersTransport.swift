import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
public import RangersClient
import Synchronization

/// What carries the requests of many players in one process: AsyncHTTPClient, whose connections wait without taking time.
///
/// `URLSession` on Linux keeps a core busy while it waits for the next event of a stream, which a measurement beside the
/// server must not do.
///
/// Connections are kept for the next request, for a moment, and end with the process, as the clients do.
public struct PlayersTransport: RangersTransport {
    /// How long a connection may take to come about: far more than any network needs.
    private static let connectSeconds: Int64 = 10
    /// For how long a connection is kept without a request: less than any server keeps it, so that none is used that the
    /// other side is just closing.
    private static let idleSeconds: Int64 = 4
    /// Each stream of events has one of its own, and no player waits for another.
    private static let mostConnections = 10_000

    /// By the longest silence of the requests that share them: a client has one for all of its requests.
    private static let clients = Mutex<[Duration: HTTPClient]>([:])

    /// All of them share their connections.
    public init() {}

    /// Sends a request.
    /// - Returns: the answer as soon as its head is there.
    /// - Throws: `CancellationError`; `HTTPClientError`, and what NIO says of connections.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.method = .init(rawValue: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if let body = request.body { message.body = .bytes(ByteBuffer(bytes: body)) }
        // How long an answer may take is said by how long nothing may be heard of it.
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

    /// The bytes as they are asked for; whoever lets go of them ends the request.
    private static func parts(of body: HTTPClientResponse.Body) -> AsyncThrowingStream<Data, any Error> {
        // A body has one reader, who asks for one part after another.
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
                    concurrentHTTP1ConnectionsPerHostSoftLimit: mostConnections
                )
            )
            configuration.httpVersion = .http1Only
            // Whoever waits is told at once that nobody is there, and decides when to try again.
            configuration.connectionPool.retryConnectionEstablishment = false
            let client = HTTPClient(configuration: configuration)
            clients[idleTimeout] = client
            return client
        }
    }
}
