/// How long clients may take, and how many there may be.
///
/// Every limit is on a whole: a client that sends a byte now and then does not win time by it.
public struct ServingLimits: Sendable, Hashable {
    /// From the first byte of a request, or from the connection, until all of its headers are there; the handshake of
    /// TLS is part of it.
    public var headerTimeout: Duration
    /// From the headers until all of the body is there.
    public var bodyTimeout: Duration
    /// From the headers until the answer is made; event streams are made when they begin.
    public var requestTimeout: Duration
    /// How long a client may leave its answer lying, without taking anything of it.
    public var answerTimeout: Duration
    /// How long a connection may stay without a request: longer than proxies keep theirs (60 s is common), so that it is
    /// they who close, and bounded, so that clients who are gone cost nothing.
    public var idleTimeout: Duration
    /// How many connections there may be at once; more wait in the kernel's queue until one ends.
    public var connections: Int

    /// The limits of a node, with documented defaults.
    public init(
        headerTimeout: Duration = .seconds(10),
        bodyTimeout: Duration = .seconds(20),
        requestTimeout: Duration = .seconds(30),
        answerTimeout: Duration = .seconds(30),
        idleTimeout: Duration = .seconds(75),
        connections: Int = 10_000
    ) {
        self.headerTimeout = headerTimeout
        self.bodyTimeout = bodyTimeout
        self.requestTimeout = requestTimeout
        self.answerTimeout = answerTimeout
        self.idleTimeout = idleTimeout
        self.connections = connections
    }

    /// The request's line and headers together: far more than any client of ours sends, few enough to hold for all.
    static let headerBytes = 16 * 1024
    /// The longest single one, the path included.
    static let headerFieldBytes = 8 * 1024
    /// How many there may be.
    static let headerFields = 100
}
