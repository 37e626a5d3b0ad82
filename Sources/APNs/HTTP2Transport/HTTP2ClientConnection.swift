import Cryptography
import DequeModule

/// Who gives a client connection its requests.
protocol HTTP2ClientConnectionOwner: AnyObject {
    /// The peer's SETTINGS are here: requests may start.
    func connectionOpened(_ connection: HTTP2ClientConnection)
    /// A request was answered.
    func connectionServed(_ connection: HTTP2ClientConnection)
    /// More requests may start than before.
    func connectionHasRoom(_ connection: HTTP2ClientConnection)
    /// Its outcome is known.
    func connection(
        _ connection: HTTP2ClientConnection,
        settled request: PendingRequest,
        as outcome: consuming HTTP2Outcome
    )
    /// Certainly not processed, so it may be sent again.
    func connection(_ connection: HTTP2ClientConnection, returned request: PendingRequest, because: HTTP2Failure)
    /// Nothing more starts here, though what is in flight may end.
    func connectionDrains(_ connection: HTTP2ClientConnection, because: HTTP2ConnectionEnd)
    /// It is gone, and each of its requests has its outcome. Nothing follows.
    func connection(_ connection: HTTP2ClientConnection, ended end: HTTP2ConnectionEnd)
}

/// One connection of a client, on the loop's thread: performs what its machine decides.
final class HTTP2ClientConnection {
    /// One start of a request, which may be given back and started again, here or elsewhere.
    private struct Attempt {
        let request: PendingRequest
        let number: Int

        init(_ request: PendingRequest) {
            self.request = request
            self.number = request.attempts
        }

        var isOver: Bool { request.isSettled || request.attempts != number }
    }

    /// More settled requests than this, and than twice those in flight, are not kept in the order of starting.
    private static let toleratedSettled = 1000

    /// What a peer says at its end goes into logs; a reason of APNs has a few dozen bytes.
    private static let keptDebugBytes = 1024

    /// Counts the client's connections.
    let id: Int

    private let configuration: HTTP2Client.Configuration
    private let selector: Selector
    private unowned let owner: any HTTP2ClientConnectionOwner
    private var machine: HTTP2ConnectionMachine
    private var link: HTTP2Link?
    /// Requests in the order of their deadlines; those that are settled are dropped when they come to the front, or when
    /// they have become the most.
    private var started: Deque<Attempt> = []
    /// None of those whose bodies are not wholly sent is to be sent by an earlier time.
    private var earliestSendBy: ContinuousClock.Instant?
    private(set) var inFlight = 0
    /// Whether a request was answered here.
    private var hasServed = false
    /// When the selector's timer is set for.
    private var timer: ContinuousClock.Instant?

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

    /// Whether a request may start now.
    ///
    /// Not while bodies of earlier ones fill the peer's window or the socket: what waits outside can still be taken back,
    /// or be sent elsewhere.
    var hasRoom: Bool {
        guard machine.room > 0, let link else { return false }
        return !link.isStuck && !link.session.isBlockedOnWindow
    }

    /// Whether the bodies that are under way use up the peer's window.
    var isBlockedOnWindow: Bool { link?.session.isBlockedOnWindow == true }

    /// Takes over what came of dialling.
    func dialled(_ result: Result<Descriptor, HTTP2ConnectionEnd>, context: TLSContext) {
        switch result {
        case .failure(let end):
            finish(end)
        case .success(let socket):
            guard let tls = TLSStream(connecting: context, to: configuration.host, on: socket.rawValue) else {
                return finish(.handshakeFailed(OpenSSLErrorQueue.drain()))
            }
            let link = HTTP2Link(
                socket: socket,
                tls: tls,
                session: HTTP2Session(
                    role: .client,
                    settings: configuration.sessionSettings,
                    commonHeaders: configuration.commonHeaders
                ),
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
        guard link.session.submitRequest(request) else {
            drain(.closedHere)
            return false
        }
        machine.requestStarted()
        inFlight += 1
        if started.count > 2 * inFlight + Self.toleratedSettled { started.removeAll(where: \.isOver) }
        var isTimerLate = started.insert(Attempt(request)) { $0.request.precedes($1.request) } == started.startIndex
        if let sendBy = request.sendBy, request.hasBody, earliestSendBy.map({ sendBy < $0 }) ?? true {
            earliestSendBy = sendBy
            isTimerLate = true
        }
        // The timer that there is comes early enough for all others.
        if isTimerLate { setTimer() }
        link.wantsToWrite()
        return true
    }

    /// Starts nothing more, and ends once what is in flight has ended.
    func drain(_ reason: HTTP2ConnectionEnd) {
        let wasDraining = machine.drainReason != nil
        let action = machine.drain(reason)
        if !wasDraining { owner.connectionDrains(self, because: reason) }
        perform(action)
    }

    /// Ends at once; what is in flight has an unknown outcome, unless nothing of its body was sent.
    func close() {
        finish(.closedHere)
    }

    private func perform(_ action: HTTP2ConnectionMachine.Action) {
        switch action {
        case .none:
            return
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
        let unanswered = started.filter { !$0.isOver }
        started = []
        for attempt in unanswered { connectionEnded(under: attempt.request, because: end) }
        owner.connection(self, ended: end)
    }

    private func connectionEnded(under request: PendingRequest, because end: HTTP2ConnectionEnd) {
        if request.isUnsent {
            giveBack(request, because: .connection(end))
        } else {
            owner.connection(self, settled: request, as: .unknown(.connection(end)))
        }
    }

    private func giveBack(_ request: PendingRequest, because failure: HTTP2Failure) {
        request.startAgain()
        owner.connection(self, returned: request, because: failure)
    }

    // MARK: Time

    /// The timer may come early, for something that is gone by then, so that it need not be moved with each request.
    private func setTimer() {
        guard !machine.isClosed, var next = machine.nextTimer else {
            selector.cancelTimer(of: self)
            return
        }
        if let deadline = started.first?.request.deadline { next = min(next, deadline) }
        if let earliestSendBy { next = min(next, earliestSendBy) }
        if let timer, timer <= next { return }
        timer = next
        selector.setTimer(of: self, at: next) { [unowned self] in timerFired() }
    }

    private func timerFired() {
        timer = nil
        let now = ContinuousClock.now
        while let attempt = started.first, attempt.isOver || attempt.request.deadline <= now {
            started.removeFirst()
            if attempt.isOver { continue }
            giveUp(attempt.request, because: .timedOut)
            perform(machine.requestTimedOut(at: now))
        }
        if let earliestSendBy, earliestSendBy <= now { giveUpLate(at: now) }
        perform(machine.timerFired(at: now))
        setTimer()
    }

    /// Gives up what was to be sent by now and is not.
    private func giveUpLate(at now: ContinuousClock.Instant) {
        earliestSendBy = nil
        for attempt in started where !attempt.isOver && attempt.request.unsentBytes > 0 {
            guard let sendBy = attempt.request.sendBy else { continue }
            if sendBy <= now {
                giveUp(attempt.request, because: .tooLate)
            } else {
                earliestSendBy = min(earliestSendBy ?? sendBy, sendBy)
            }
        }
    }

    private func giveUp(_ request: PendingRequest, because failure: HTTP2Failure) {
        let outcome: HTTP2Outcome = request.isUnsent ? .neverProcessed(failure) : .unknown(failure)
        owner.connection(self, settled: request, as: outcome)
        resetStream(of: request)
    }

    private func resetStream(of request: PendingRequest) {
        link?.session.submitReset(request.streamID, errorCode: HTTP2ErrorCode.cancel)
        link?.wantsToWrite()
    }
}

extension HTTP2ClientConnection: HTTP2LinkOwner {
    func linkSecured(_ link: HTTP2Link) {
        link.wantsToWrite()
    }

    func linkHeard(_ link: HTTP2Link) {
        let hadRoom = machine.room > 0
        machine.heard(at: .now)
        if !hadRoom, machine.room > 0 { owner.connectionHasRoom(self) }
    }

    func link(_ link: HTTP2Link, reported events: [HTTP2SessionEvent]) {
        // An event may end the connection, which lets go of the link.
        for event in events where self.link != nil {
            handle(event)
        }
        if machine.room > 0 { owner.connectionHasRoom(self) }
        setTimer()
    }

    func linkFlushed(_ link: HTTP2Link) {
        if hasRoom { owner.connectionHasRoom(self) }
    }

    func link(_ link: HTTP2Link, ended end: HTTP2ConnectionEnd) {
        // Why it was to end says more than how it did.
        finish(machine.drainReason ?? end)
    }

    private func handle(_ event: HTTP2SessionEvent) {
        switch event {
        case .settingsReceived(let maxConcurrentStreams):
            if machine.settingsReceived(maxConcurrentStreams: maxConcurrentStreams) { owner.connectionOpened(self) }
        case .messageReceived(let exchange):
            answered(Self.request(exchange))
        case .streamClosed(let exchange, let errorCode):
            streamClosed(Self.request(exchange), errorCode: errorCode)
        case .goAwayReceived(let errorCode, let debugData):
            let debugData = String(decoding: debugData.prefix(Self.keptDebugBytes), as: UTF8.self)
            drain(.goAway(errorCode: errorCode, debugData: debugData))
        }
    }

    /// A client's session has no other exchanges than those it was given.
    private static func request(_ exchange: HTTP2Exchange) -> PendingRequest {
        guard let request = exchange as? PendingRequest else { preconditionFailure("a stream that was not started") }
        return request
    }

    private func answered(_ request: PendingRequest) {
        guard !request.isSettled, let response = request.takeResponse() else { return }
        machine.answered()
        // A peer may answer before it has the whole request (RFC 9113, section 8.1) and need not give room for the rest: the
        // body would wait for ever, and its stream would count as one of those that may be open.
        if request.unsentBytes > 0 { resetStream(of: request) }
        let isRefused = configuration.endsConnection(response)
        if !isRefused, !hasServed {
            hasServed = true
            owner.connectionServed(self)
        }
        owner.connection(self, settled: request, as: .response(response))
        if isRefused { drain(.closedHere) }
    }

    private func streamClosed(_ request: PendingRequest, errorCode: UInt32) {
        inFlight -= 1
        if request.isWhole, errorCode == HTTP2ErrorCode.noError {
            answered(request)
        }
        if !request.isSettled {
            switch errorCode {
            case HTTP2ErrorCode.refusedStream:
                giveBack(request, because: .reset(errorCode: errorCode))
            default:
                owner.connection(self, settled: request, as: .unknown(.reset(errorCode: errorCode)))
            }
        }
        while started.first?.isOver == true { started.removeFirst() }
        perform(machine.streamClosed())
    }
}
