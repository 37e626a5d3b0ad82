import Glibc

/// An HTTP/2 server over TLS with one thread, for simulators and tests.
///
/// It speaks `h2` by ALPN only, TLS 1.2 or later. Requests reach the handler whole; see `HTTP2RequestHandler`.
public final class HTTP2Server: Sendable {
    /// Where a server listens, who it is, and what it allows.
    public struct Configuration: Sendable {
        /// The address to listen on, or a name of it.
        public var host: String
        /// The port; 0 takes any that is free, which `HTTP2Server.port` then tells.
        public var port: Int
        /// The certificate and the key.
        public var identity: TLSIdentity
        /// What a new connection's first SETTINGS allow; `setMaxConcurrentStreams` changes it later.
        public var maxConcurrentStreams: Int
        /// Bytes of bodies that a client may send ahead, over all streams and on each; 16 MiB keep it from waiting.
        public var windowBytes: Int
        /// A longer body resets its stream.
        public var maxBodyBytes: Int
        /// Further connections are closed as soon as they are accepted.
        public var maxConnections: Int

        /// What the properties say.
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

    /// Where it listens.
    public let port: Int

    private let listener: LoopBound<HTTP2Listener>

    /// Listens from now on, until `stop` or until it is released.
    ///
    /// - Throws: `TransportError` when the address cannot be had or the identity cannot be used.
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

    /// Accepts no more, and closes every connection at once.
    ///
    /// It may be called again.
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
        // A port whose last connections are still in TIME_WAIT can be had again at once.
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
