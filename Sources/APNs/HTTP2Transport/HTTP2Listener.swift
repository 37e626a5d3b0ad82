import Glibc

/// The listening socket of a server and its connections, on the loop's thread.
final class HTTP2Listener {
    /// The pause of accepting connections after a lack of descriptors or memory.
    private static let exhaustionPause = Duration.milliseconds(100)

    /// The listening socket; nil after `stop`, which frees the port.
    private var socket: Descriptor?
    private let context: TLSContext
    private let settings: HTTP2Session.Settings
    private let maxConnections: Int
    /// The handler; nil after `stop`, since a handler that keeps connections would otherwise keep itself through them.
    private var handler: (any HTTP2RequestHandler)?
    private var peers: [Int: HTTP2ServerPeer] = [:]
    private var lastID = 0
    /// Whether the limit of connections is reached and the handler has been notified.
    private var isFull = false
    /// The selector, and the handle that connections hold; nil unless the listener is running.
    private var running: (selector: Selector, listener: LoopBound<HTTP2Listener>)?

    init(socket: Descriptor, configuration: HTTP2Server.Configuration, handler: any HTTP2RequestHandler)
        throws(TransportError)
    {
        self.socket = socket
        self.context = try TLSContext(identity: configuration.identity)
        self.settings = HTTP2Session.Settings(
            maxConcurrentStreams: configuration.maxConcurrentStreams,
            windowBytes: configuration.windowBytes,
            maxBodyBytes: configuration.maxBodyBytes
        )
        self.maxConnections = configuration.maxConnections
        self.handler = handler
    }

    /// Returns the connection with this number, if it still exists.
    func peer(_ id: Int) -> HTTP2ServerPeer? { peers[id] }

    func start(_ selector: Selector, as listener: LoopBound<HTTP2Listener>) {
        running = (selector, listener)
        listen(selector)
    }

    private func listen(_ selector: Selector) {
        if let socket { selector.add(socket.rawValue, handler: self) }
    }

    /// Stops accepting connections, closes all open ones, and releases the handler.
    func stop() {
        guard let (selector, _) = running else { return }
        running = nil
        selector.cancelTimer(of: self)
        if let socket { selector.remove(socket.rawValue) }
        socket = nil
        for (_, peer) in peers.sorted(by: { $0.key < $1.key }) { peer.close() }
        handler = nil
    }

    private func open(_ socket: Descriptor) {
        guard peers.count < maxConnections else { return reject() }
        isFull = false
        guard let (selector, listener) = running, let handler,
            let tls = TLSStream(accepting: context, on: socket.rawValue)
        else { return }
        disableDelay(of: socket)
        lastID += 1
        let id = lastID
        let peer = HTTP2ServerPeer(
            connection: HTTP2ServerConnection(id: id, listener: listener),
            handler: handler,
            selector: selector,
            forget: { [unowned self] in peers[id] = nil }
        )
        peers[id] = peer
        peer.start(socket, tls: tls, settings: settings)
    }

    /// Notifies the handler of the first of several rejections, since rejected clients may reconnect at once.
    private func reject() {
        guard !isFull else { return }
        isFull = true
        handler?.connectionRejected(beyond: maxConnections)
    }

    /// Stops watching the socket for a while.
    ///
    /// While descriptors are exhausted the socket stays readable, and the loop would spin.
    private func pauseAccepting() {
        guard let (selector, _) = running, let socket else { return }
        selector.remove(socket.rawValue)
        selector.setTimer(of: self, at: .now + Self.exhaustionPause) { [self] in listen(selector) }
    }
}

extension HTTP2Listener: ReadinessHandler {
    func ready() {
        while let socket {
            let descriptor = accept(socket.rawValue, nil, nil)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                open(Descriptor(owning: descriptor))
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pauseAccepting()
            default: return
            }
        }
    }
}
