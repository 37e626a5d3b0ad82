import DequeModule

/// Who gives a client connection its requests.
protocol HTTP2ClientConnectionOwner: AnyObject {
    /// The peer's SETTINGS are here: requests may start.
    func connectionOpened(_ connection: HTTP2ClientConnection)
    /// A request was answered.
    func connectionServed(_ connection: HTTP2ClientConnection)
    /// More requests may start than before.
    func connectionHasRoom(_ connection: HTTP2ClientConnection)
    /// Certainly not processed, so it may be sent again.
    func connection(_ connection: HTTP2ClientConnection, returned request: PendingRequest, because: HTTP2Failure)
    /// Nothing more starts here, though what is in flight may end.
    func connectionDrains(_ connection: HTTP2ClientConnection, because: HTTP2ConnectionEnd)
    /// It is gone, and each of its requests has its outcome. Nothing follows.
    func connection(_ connection: HTTP2ClientConnection, ended end: HTTP2ConnectionEnd)
}

/// One connection of a client, on the loop's thread: performs what its machine decides.
final class HTTP2ClientConnection {
    private enum Stream {
        case awaiting(PendingRequest)
        /// It has its outcome, and only waits to be closed.
        case settled
    }

    /// Counts the client's connections.
    let id: Int

    private let configuration: HTTP2Client.Configuration
    private let selector: Selector
    private unowned let owner: any HTTP2ClientConnectionOwner
    private var machine: HTTP2ConnectionMachine
    private var link: HTTP2Link?
    private var streams: [Int32: Stream] = [:]
    /// In the order of starting, which is nearly that of the deadlines; those that are settled are dropped when
    /// they come to the front.
    private var deadlines: Deque<(time: ContinuousClock.Instant, streamID: Int32)> = []

    /// A connection that is being dialled; `dialled` follows.
    init(
        id: Int,
        configuration: HTTP2Client.Configuration,
        selector: Selector,
        owner: any HTTP2ClientConnectionOwner
    ) {
        self.id = id
        self.configuration = configuration
        self.selector = selector
        self.owner = owner
        self.machine = HTTP2ConnectionMachine(
            limits: configuration.connectionLimits,
            now: .now,
            connectTimeout: configuration.connectTimeout
        )
        setTimer()
    }

    /// How many requests may start now.
    var room: Int { machine.room }

    /// Takes over what came of dialling.
    func dialled(_ result: Result<Descriptor, HTTP2ConnectionEnd>, context: TLSContext) {
        switch result {
        case .failure(let end):
            finish(end)
        case .success(let socket):
            guard let tls = TLSStream(connecting: context, to: configuration.host, on: socket.rawValue) else {
                return finish(.handshakeFailed(OpenSSLError.takeAll()))
            }
            let link = HTTP2Link(
                socket: socket,
                tls: tls,
                session: HTTP2Session(role: .client, settings: configuration.sessionSettings),
                selector: selector,
                owner: self
            )
            self.link = link
            link.start()
        }
    }

    /// Sends a request.
    ///
    /// There must be room.
    /// - Returns: false when the connection cannot open another stream ever again; it drains then.
    func start(_ request: PendingRequest) -> Bool {
        guard let link else { preconditionFailure("there is room before there is a link") }
        guard let streamID = link.session.submitRequest(configuration.message(of: request.request)) else {
            drain(.closedHere)
            return false
        }
        machine.requestStarted()
        streams[streamID] = .awaiting(request)
        remember(request.deadline, of: streamID)
        setTimer()
        link.wantsToWrite()
        return true
    }

    /// Starts nothing more, and ends once what is in flight has ended.
    func drain(_ reason: HTTP2ConnectionEnd) {
        let wasDraining = machine.isDraining
        let action = machine.drain(reason)
        if !wasDraining { owner.connectionDrains(self, because: reason) }
        perform(action)
    }

    /// Ends at once; what is in flight has an unknown outcome.
    func close() {
        finish(.closedHere)
    }

    private func perform(_ action: HTTP2ConnectionMachine.Action) {
        switch action {
        case .none:
            break
        case .ping:
            link?.session.submitPing()
            link?.wantsToWrite()
        case .close(let end):
            return finish(end)
        }
        setTimer()
    }

    private func finish(_ end: HTTP2ConnectionEnd) {
        guard !machine.isClosed else { return }
        machine.closed()
        link?.close()
        link = nil
        setTimer()
        // In the order of sending, so that nothing depends on the order of a dictionary.
        for (_, stream) in streams.sorted(by: { $0.key < $1.key }) {
            if case .awaiting(let request) = stream { request.complete(.unknown(.connection(end))) }
        }
        streams = [:]
        deadlines = []
        owner.connection(self, ended: end)
    }

    // MARK: Time

    private func setTimer() {
        let times = [machine.nextTimer, deadlines.first?.time].compactMap(\.self)
        selector.setTimer(of: self, at: machine.isClosed ? nil : times.min()) { [unowned self] in timerFired() }
    }

    /// Notes a deadline, and drops those of streams that are gone when they have become the most.
    private func remember(_ deadline: ContinuousClock.Instant, of streamID: Int32) {
        if deadlines.count > 2 * streams.count + 1000 {
            deadlines.removeAll { streams[$0.streamID] == nil }
        }
        deadlines.append((deadline, streamID))
    }

    private func timerFired() {
        let now = ContinuousClock.now
        while let (time, streamID) = deadlines.first, time <= now {
            deadlines.removeFirst()
            guard case .awaiting(let request) = streams[streamID] else { continue }
            streams[streamID] = .settled
            request.complete(.unknown(.timedOut))
            link?.session.submitReset(streamID, errorCode: HTTP2ErrorCode.cancel)
            link?.wantsToWrite()
            perform(machine.requestTimedOut(at: now))
        }
        perform(machine.timerFired(at: now))
    }
}

extension HTTP2ClientConnection: HTTP2LinkOwner {
    func linkSecured(_ link: HTTP2Link) {
        link.wantsToWrite()
    }

    func link(_ link: HTTP2Link, reported events: [HTTP2SessionEvent]) {
        machine.heard(at: .now)
        for event in events where !machine.isClosed {
            handle(event)
        }
        if machine.room > 0 { owner.connectionHasRoom(self) }
        setTimer()
    }

    func link(_ link: HTTP2Link, ended end: HTTP2ConnectionEnd) {
        finish(end)
    }

    private func handle(_ event: HTTP2SessionEvent) {
        switch event {
        case .settingsReceived(let maxConcurrentStreams):
            if machine.settingsReceived(maxConcurrentStreams: maxConcurrentStreams) { owner.connectionOpened(self) }
        case .messageReceived(let streamID, let message):
            guard case .awaiting(let request) = streams[streamID], let response = HTTP2Response(message) else { return }
            streams[streamID] = .settled
            abandonBody(of: streamID)
            let isRefused = configuration.endsConnection(response)
            if !isRefused { owner.connectionServed(self) }
            request.complete(.response(response))
            if isRefused { drain(.closedHere) }
        case .streamClosed(let streamID, let errorCode):
            streamClosed(streamID, errorCode: errorCode)
        case .goAwayReceived(_, let errorCode, let debugData):
            drain(.goAway(errorCode: errorCode, debugData: String(decoding: debugData, as: UTF8.self)))
        case .pingAcknowledged:
            break
        }
    }

    /// Ends an answered stream whose body is not wholly sent.
    ///
    /// A peer may answer before it has the whole request (RFC 9113, section 8.1) and need not give room for the rest:
    /// the body would wait for ever, and its stream would count as one of those that may be open.
    private func abandonBody(of streamID: Int32) {
        guard let link, link.session.isSending(streamID) else { return }
        link.session.submitReset(streamID, errorCode: HTTP2ErrorCode.cancel)
        link.wantsToWrite()
    }

    private func streamClosed(_ streamID: Int32, errorCode: UInt32) {
        guard let stream = streams.removeValue(forKey: streamID) else { return }
        if deadlines.first?.streamID == streamID { deadlines.removeFirst() }
        if case .awaiting(let request) = stream {
            switch errorCode {
            case HTTP2ErrorCode.refusedStream:
                owner.connection(self, returned: request, because: .reset(errorCode: errorCode))
            default:
                request.complete(.unknown(.reset(errorCode: errorCode)))
            }
        }
        perform(machine.streamClosed())
    }
}
