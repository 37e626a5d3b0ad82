/// The handler of a server's requests.
///
/// The server makes all calls on its one thread, one after another, so none may block. The calls for one connection
/// come in the order opened, requests, closed.
public protocol HTTP2RequestHandler: Sendable {
    /// Handles a request.
    /// - Returns: the response; nil to send it later with `HTTP2ServerConnection.respond`, or not at all.
    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response?

    /// Called when a client has connected and negotiated HTTP/2.
    ///
    /// The default implementation does nothing.
    func connectionOpened(_ connection: HTTP2ServerConnection)

    /// Called when a connection was closed.
    ///
    /// The default implementation does nothing.
    func connectionClosed(_ connection: HTTP2ServerConnection)

    /// Called when a client was rejected because the server has the maximum number of connections.
    ///
    /// Called only for the first rejection since a connection was last accepted. The default implementation does
    /// nothing.
    func connectionRejected(beyond limit: Int)
}

extension HTTP2RequestHandler {
    /// Does nothing.
    public func connectionOpened(_ connection: HTTP2ServerConnection) {}

    /// Does nothing.
    public func connectionClosed(_ connection: HTTP2ServerConnection) {}

    /// Does nothing.
    public func connectionRejected(beyond limit: Int) {}
}
