public import Foundation

/// A transport for requests to the server: ``URLSessionTransport``, unless an app provides another one.
///
/// A transport sends each request once, because the client decides about retries. It does not follow redirects, because
/// only the intended server may receive the token.
public protocol RangersTransport: Sendable {
    /// Sends a request.
    /// - Parameter request: the request.
    /// - Returns: the response with any status, as soon as its head has arrived; the body follows.
    /// - Throws: an error if no response arrives. Whether the server received the request is then unknown.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// An HTTP request for a transport.
public struct TransportRequest: Sendable {
    /// The HTTP method.
    public let method: String
    /// The URL.
    public let url: URL
    /// The headers by name.
    ///
    /// They include the player's token: do not log them.
    public var headers: [String: String]
    /// The body; nil for none.
    public let body: Data?
    /// The time without any data after which the connection counts as lost.
    public var idleTimeout: Duration

    /// Creates a request.
    package init(method: String, url: URL, headers: [String: String], body: Data?, idleTimeout: Duration) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.idleTimeout = idleTimeout
    }
}

/// An HTTP response whose head has arrived.
public struct TransportResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    private let headers: [String: String]
    /// The parts of the body as they arrive.
    ///
    /// The stream throws if the connection closes before the response is complete. When its consumer stops iterating,
    /// the transport cancels the request.
    public let body: AsyncThrowingStream<Data, any Error>

    /// Creates a response.
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - headers: the headers by name, which is case-insensitive.
    ///   - body: the parts of the body.
    public init(status: Int, headers: [String: String], body: AsyncThrowingStream<Data, any Error>) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }, uniquingKeysWith: { "\($0), \($1)" })
        self.body = body
    }

    /// Returns the value of a header; names are case-insensitive.
    public func header(_ name: String) -> String? { headers[name.lowercased()] }
}
