/// What a server does with its requests.
///
/// All calls come on the server's one thread, one after another, so none of them may block. Calls about one
/// connection come in the order: opened, requests, closed.
public protocol HTTP2RequestHandler: Sendable {
    /// Answers a request.
    /// - Returns: the answer, or nil when it comes later through `HTTP2ServerConnection.respond`, or never.
    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response?

    /// A client has connected and speaks HTTP/2. Does nothing unless it is implemented.
    func connectionOpened(_ connection: HTTP2ServerConnection)

    /// The connection is gone. Does nothing unless it is implemented.
    func connectionClosed(_ connection: HTTP2ServerConnection)

    /// A client was turned away, the first since there was room, because the server has so many connections. Does nothing
    /// unless it is implemented.
    func connectionRefused(beyond limit: Int)
}

extension HTTP2RequestHandler {
    /// Does nothing.
    public func connectionOpened(_ connection: HTTP2ServerConnection) {}

    /// Does nothing.
    public func connectionClosed(_ connection: HTTP2ServerConnection) {}

    /// Does nothing.
    public func connectionRefused(beyond limit: Int) {}
}
