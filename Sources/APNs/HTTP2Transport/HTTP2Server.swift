import Glibc

/// An HTTP/2 server over TLS with one thread, for simulators and tests.
///
/// It requires `h2` by ALPN, and TLS 1.2 or later. The handler receives complete requests; see `HTTP2RequestHandler`.
public final class HTTP2Server: Sendable {
    /// The address, identity and limits of a server.
    public struct Configuration: Sendable {
        /// The IP address to listen on, or a host name.
        public var host: String
        /// The port; 0 for any free port, see `HTTP2Server.port`.
        public var port: Int
        /// The certificate and the key.
        public var identity: TLSIdentity
        /// The number of streams in a new connection's first SETTINGS; `setMaxConcurrentStreams` changes it later.
        public var maxConcurrentStreams: Int
        /// The flow-control window of each stream and of the connection; with 16 MiB clients do not wait.
        public var windowBytes: Int
        /// The size limit of a body; a larger one resets its stream.
        public var maxBodyBytes: Int
        /// The maximum number of connections; further ones are closed as soon as they are accepted.
        public var maxConnections: Int

        /// Creates a configuration.
        public init(
            host: String = "127.0.0.1",
            port: Int = 0,
            identity: TLSIdentity,
            maxConcurrentStreams: Int = 1000,
            windowBytes: Int = 16 * 1024 * 1024,
            maxBodyBytes: Int = 1024 * 1024,
            maxConnections: Int = 1000
        ) {
            self.host = host
            self.port = port
            self.identity = identity
            self.maxConcurrentStreams = maxConcurrentStreams
            self.windowBytes = windowBytes
            self.maxBodyBytes = maxBodyBytes
            self.maxConnections = maxConnections
        }
    }

    /// The port that the server listens on.
    public let port: Int

    private let listener: LoopBound<HTTP2Listener>

    /// Creates a server that listens until `stop` or until it is released.
    ///
    /// - Throws: `TransportError` if the address is not available or the identity is invalid.
    public init(configuration: Configuration, handler: any HTTP2RequestHandler) throws(TransportError) {
        let socket = try Self.listen(configuration)
        self.port = SocketAddress.local(of: socket.rawValue)?.port ?? configuration.port
        let listener = try HTTP2Listener(socket: socket, configuration: configuration, handler: handler)
        let bound = LoopBound(listener, on: try EventLoop(name: "http2-server"))
        bound.run { listener, selector in listener.start(selector, as: bound) }
        self.listener = bound
    }

    deinit {
        listener.run { listener, _ in listener.stop() }
    }

    /// Stops accepting connections, closes all open ones at once, and releases the handler after the last one.
    ///
    /// Further calls do nothing.
    public func stop() async {
        await withCheckedContinuation { continuation in
            listener.run { listener, _ in
                listener.stop()
                continuation.resume()
            }
        }
    }

    private static func listen(_ configuration: Configuration) throws(TransportError) -> Descriptor {
        func failure(_ reason: String) -> TransportError {
            .cannotListen(host: configuration.host, port: configuration.port, reason: reason)
        }
        let addresses: [SocketAddress]
        do throws(SocketAddress.ResolutionFailure) {
            addresses = try SocketAddress.resolve(host: configuration.host, port: configuration.port, isPassive: true)
        } catch {
            throw failure(error.reason)
        }
        guard let address = addresses.first, let socket = address.makeSocket() else {
            throw failure(systemErrorText(errno))
        }
        // Allows a port whose last connections are still in TIME_WAIT.
        var on: CInt = 1
        _ = unsafe setsockopt(
            socket.rawValue,
            SOL_SOCKET,
            SO_REUSEADDR,
            &on,
            socklen_t(MemoryLayout<CInt>.size)
        )
        let status = unsafe address.withPointer { unsafe bind(socket.rawValue, $0, $1) }
        guard status == 0, Glibc.listen(socket.rawValue, SOMAXCONN) == 0 else { throw failure(systemErrorText(errno)) }
        return socket
    }
}
