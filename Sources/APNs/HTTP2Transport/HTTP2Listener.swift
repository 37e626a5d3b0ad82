import Glibc

/// The socket that a server listens on, and the connections that came from it, on the loop's thread.
final class HTTP2Listener {
    /// After the system had no descriptor for a new connection, accepting rests this long.
    private static let restAfterExhaustion = Duration.milliseconds(100)

    /// Nil once it has stopped, so that the port is free again.
    private var socket: Descriptor?
    private let context: TLSContext
    private let settings: HTTP2Session.Settings
    private let maxConnections: Int
    private let handler: any HTTP2RequestHandler
    private var peers: [Int: HTTP2ServerPeer] = [:]
    private var lastID = 0
    /// Whether clients are being turned away.
    private var isFull = false
    /// Set while the listener runs: the loop's side, and itself as connections hold it.
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

    /// The connection of that number, while it exists.
    func peer(_ id: Int) -> HTTP2ServerPeer? { peers[id] }

    func start(_ selector: Selector, as listener: LoopBound<HTTP2Listener>) {
        running = (selector, listener)
        listen(selector)
    }

    private func listen(_ selector: Selector) {
        if let socket { selector.add(socket.rawValue, handler: self) }
    }

    /// Accepts no more and closes every connection.
    func stop() {
        guard let (selector, _) = running else { return }
        running = nil
        selector.cancelTimer(of: self)
        if let socket { selector.remove(socket.rawValue) }
        socket = nil
        for (_, peer) in peers.sorted(by: { $0.key < $1.key }) { peer.close() }
    }

    private func open(_ socket: Descriptor) {
        guard peers.count < maxConnections else { return refuse() }
        isFull = false
        guard let (selector, listener) = running,
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

    /// Says once that there are too many; who is turned away may try again at once.
    private func refuse() {
        guard !isFull else { return }
        isFull = true
        handler.connectionRefused(beyond: maxConnections)
    }

    /// The socket stays readable while descriptors are short: watching it would spin.
    private func rest() {
        guard let (selector, _) = running, let socket else { return }
        selector.remove(socket.rawValue)
        selector.setTimer(of: self, at: .now + Self.restAfterExhaustion) { [self] in listen(selector) }
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
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return rest()
            default: return
            }
        }
    }
}
