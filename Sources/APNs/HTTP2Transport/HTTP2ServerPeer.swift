/// The server side of one connection, on the loop's thread.
final class HTTP2ServerPeer {
    /// The time limit of the TLS handshake.
    private static let handshakeTimeout = Duration.seconds(10)

    private let connection: HTTP2ServerConnection
    private let handler: any HTTP2RequestHandler
    private let selector: Selector
    private let forget: () -> Void
    private var link: HTTP2Link?
    private var isOpen = false

    /// Creates a connection without a socket; it calls `forget` once, when the connection is closed.
    init(
        connection: HTTP2ServerConnection,
        handler: any HTTP2RequestHandler,
        selector: Selector,
        forget: @escaping () -> Void
    ) {
        self.connection = connection
        self.handler = handler
        self.selector = selector
        self.forget = forget
    }

    /// Starts the connection on an accepted socket.
    func start(_ socket: Descriptor, tls: TLSStream, settings: HTTP2Session.Settings) {
        let link = HTTP2Link(
            socket: socket,
            tls: tls,
            session: HTTP2Session(role: .server, settings: settings),
            selector: selector,
            owner: self
        )
        self.link = link
        selector.setTimer(of: self, at: .now + Self.handshakeTimeout) { [self] in close() }
        link.start()
    }

    func respond(_ streamID: Int32, with response: HTTP2Response) {
        submit { $0.submitResponse(response, on: streamID) }
    }

    func setMaxConcurrentStreams(_ limit: Int) {
        submit { $0.submitMaxConcurrentStreams(limit) }
    }

    func goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
        submit { $0.submitGoAway(lastStreamID: lastStreamID, errorCode: errorCode, debugData: debugData) }
    }

    func reset(_ streamID: Int32, errorCode: UInt32) {
        submit { $0.submitReset(streamID, errorCode: errorCode) }
    }

    func close() {
        guard let link else { return }
        link.close()
        finish()
    }

    private func submit(_ action: (HTTP2Session) -> Void) {
        guard let link else { return }
        action(link.session)
        link.wantsToWrite()
    }

    private func finish() {
        link = nil
        selector.cancelTimer(of: self)
        if isOpen { handler.connectionClosed(connection) }
        forget()
    }
}

extension HTTP2ServerPeer: HTTP2LinkOwner {
    func linkSecured(_ link: HTTP2Link) {
        selector.cancelTimer(of: self)
        isOpen = true
        handler.connectionOpened(connection)
        // Writes the session's SETTINGS.
        link.wantsToWrite()
    }

    /// Does nothing: a server sends no PING.
    func linkReceivedBytes(_ link: HTTP2Link) {}

    func link(_ link: HTTP2Link, reported events: [HTTP2SessionEvent]) {
        for event in events {
            switch event {
            case .messageReceived(let exchange):
                guard connection.processes(exchange.streamID), let message = exchange.takeMessage() else { break }
                let request = HTTP2Request(streamID: exchange.streamID, message: message)
                if let response = handler.respond(to: request, on: connection) {
                    respond(exchange.streamID, with: response)
                }
            case .settingsReceived, .streamClosed, .goAwayReceived:
                break
            }
        }
    }

    func linkFlushed(_ link: HTTP2Link) {}

    func link(_ link: HTTP2Link, ended end: HTTP2ConnectionEnd) {
        finish()
    }
}
