/// Timeouts and limits for the clients of a server.
///
/// Each timeout covers its whole phase: a client that sends single bytes does not extend it.
public struct ServingLimits: Sendable, Hashable {
    /// The time from the first byte of a request, or from accepting the connection, to the end of the request's
    /// headers.
    ///
    /// It includes the TLS handshake.
    public var headerTimeout: Duration
    /// The time from the end of a request's headers to the end of its body.
    public var bodyTimeout: Duration
    /// The time from the end of a request's headers until its response is ready.
    ///
    /// An event stream is ready when it begins.
    public var requestTimeout: Duration
    /// The maximum time in which a client reads nothing of a pending response.
    public var sendTimeout: Duration
    /// The maximum time for which a connection stays open without a request.
    ///
    /// It is longer than the idle timeout of common proxies (60 s), so that the proxy closes first, and finite, so that
    /// the connections of vanished clients are closed.
    public var idleTimeout: Duration
    /// The maximum number of open connections; further ones wait in the kernel's accept queue.
    public var maxConnections: Int

    /// Creates limits; every argument has its documented default.
    public init(
        headerTimeout: Duration = .seconds(10),
        bodyTimeout: Duration = .seconds(20),
        requestTimeout: Duration = .seconds(30),
        sendTimeout: Duration = .seconds(30),
        idleTimeout: Duration = .seconds(75),
        maxConnections: Int = 10_000
    ) {
        self.headerTimeout = headerTimeout
        self.bodyTimeout = bodyTimeout
        self.requestTimeout = requestTimeout
        self.sendTimeout = sendTimeout
        self.idleTimeout = idleTimeout
        self.maxConnections = maxConnections
    }

    /// The maximum size of the request line and all headers together: far more than the project's clients send, and
    /// little enough to buffer for every connection.
    package static let maxHeaderBytes = 16 * 1024
    /// The maximum size of the request line, and of each header.
    package static let maxHeaderFieldBytes = 8 * 1024
    /// The maximum number of headers.
    package static let maxHeaderFields = 100
    /// The maximum size of a request body: far more than any request of the API needs.
    package static let maxBodyBytes = 64 * 1024
}
