import Cryptography
import DequeModule

/// The owner of a client connection, which gives it requests.
protocol HTTP2ClientConnectionOwner: AnyObject {
    /// Called when the peer's SETTINGS have arrived; requests may start.
    func connectionOpened(_ connection: HTTP2ClientConnection)
    /// Called when the connection has received its first good response.
    func connectionReceivedResponse(_ connection: HTTP2ClientConnection)
    /// Called when the connection may accept more requests than before.
    func connectionBecameAvailable(_ connection: HTTP2ClientConnection)
    /// Called when the outcome of a request is known.
    func connection(
        _ connection: HTTP2ClientConnection,
        completed request: PendingRequest,
        with outcome: consuming HTTP2Outcome
    )
    /// Called when the peer has not processed a request, which may be sent again.
    func connection(_ connection: HTTP2ClientConnection, returned request: PendingRequest, because: HTTP2Failure)
    /// Called when the connection accepts no more requests; requests in flight may finish.
    func connectionDrains(_ connection: HTTP2ClientConnection, because: HTTP2ConnectionEnd)
    /// Called when the connection is closed and all of its requests have been completed or returned; the last call.
    func connection(_ connection: HTTP2ClientConnection, ended end: HTTP2ConnectionEnd)
}

/// One connection of a client, on the loop's thread; it performs the actions of its state machine.
final class HTTP2ClientConnection {
    /// One attempt to send a request, which may be returned to the queue and attempted again on any connection.
    private struct Attempt {
        let request: PendingRequest
        let number: Int

        init(_ request: PendingRequest) {
            self.request = request
            self.number = request.attempts
        }

        var isOver: Bool { request.isCompleted || request.attempts != number }
    }

    /// Completed attempts beyond this number, and beyond twice the requests in flight, are removed from ``started``.
    private static let maxCompletedAttempts = 1000

    /// The length limit of a peer's debug data in logs; reasons of APNs have a few dozen bytes.
    private static let maxDebugBytes = 1024

    /// The number of the connection, from 1.
    let id: Int

    private let configuration: HTTP2Client.Configuration
    private let selector: Selector
    private unowned let owner: any HTTP2ClientConnectionOwner
    private var machine: HTTP2ConnectionMachine
    private var link: HTTP2Link?
    /// Attempts in the order of their deadlines.
    ///
    /// Completed attempts are removed when they reach the front, or when they are the majority.
    private var started: Deque<Attempt> = []
    /// A lower bound of the `sendBy` times of requests with unsent bytes; nil if there are none.
    private var earliestSendBy: ContinuousClock.Instant?
    private(set) var inFlight = 0
    /// Whether the connection has received a good response.
    private var hasReceivedResponse = false
    /// The time of the selector's timer.
    private var timer: ContinuousClock.Instant?

    /// Creates a connection without a socket; the owner then calls ``connected(_:context:)``.
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
    /// False while bodies of earlier requests fill the peer's window or the socket: a request in the client's queue can
    /// still time out there or use another connection.
    var canStartRequest: Bool {
        guard machine.availableStreams > 0, let link else { return false }
        return !link.isWriteBlocked && !link.session.isBlockedOnWindow
    }

    /// Whether unsent bodies use up the peer's window.
    var isBlockedOnWindow: Bool { link?.session.isBlockedOnWindow == true }

    /// Takes the connected socket, or the failure to connect.
    func connected(_ result: Result<Descriptor, HTTP2ConnectionEnd>, context: TLSContext) {
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

    /// Sends a request; ``canStartRequest`` must be true.
    ///
    /// - Returns: false if the connection has no stream ids left; the connection then drains.
    func start(_ request: PendingRequest) -> Bool {
        guard let link else { preconditionFailure("a connection without a link accepts no requests") }
        guard link.session.submitRequest(request) else {
            drain(.closedLocally)
            return false
        }
        machine.requestStarted()
        inFlight += 1
        if started.count > 2 * inFlight + Self.maxCompletedAttempts { started.removeAll(where: \.isOver) }
        var isTimerLate = started.insert(Attempt(request)) { $0.request.precedes($1.request) } == started.startIndex
        if let sendBy = request.sendBy, request.hasBody, earliestSendBy.map({ sendBy < $0 }) ?? true {
            earliestSendBy = sendBy
            isTimerLate = true
        }
        // The current timer is early enough for all other requests.
        if isTimerLate { setTimer() }
        link.wantsToWrite()
        return true
    }

    /// Stops accepting requests, and closes the connection after those in flight have ended.
    func drain(_ reason: HTTP2ConnectionEnd) {
        let wasDraining = machine.drainReason != nil
        let action = machine.drain(reason)
        if !wasDraining { owner.connectionDrains(self, because: reason) }
        perform(action)
    }

    /// Closes the connection at once.
    ///
    /// Requests in flight have an unknown outcome, except those with an entirely unsent body, which are returned to the
    /// owner.
    func close() {
        finish(.closedLocally)
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
        let remaining = started.filter { !$0.isOver }
        started = []
        for attempt in remaining { connectionEnded(under: attempt.request, because: end) }
        owner.connection(self, ended: end)
    }

    private func connectionEnded(under request: PendingRequest, because end: HTTP2ConnectionEnd) {
        if request.isUnsent {
            returnToQueue(request, because: .connection(end))
        } else {
            owner.connection(self, completed: request, with: .unknown(.connection(end)))
        }
    }

    private func returnToQueue(_ request: PendingRequest, because failure: HTTP2Failure) {
        request.prepareRetry()
        owner.connection(self, returned: request, because: failure)
    }

    // MARK: Time

    /// Moves the timer forward if the next event is earlier.
    ///
    /// The timer may fire early, for a request that has ended: moving it with each request would cost more.
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

    /// Gives up requests whose `sendBy` has passed before they were sent.
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
        owner.connection(self, completed: request, with: outcome)
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

    func linkReceivedBytes(_ link: HTTP2Link) {
        let wasAvailable = machine.availableStreams > 0
        machine.bytesReceived(at: .now)
        if !wasAvailable, machine.availableStreams > 0 { owner.connectionBecameAvailable(self) }
    }

    func link(_ link: HTTP2Link, reported events: [HTTP2SessionEvent]) {
        // An event may close the connection, which releases the link.
        for event in events where self.link != nil {
            handle(event)
        }
        if machine.availableStreams > 0 { owner.connectionBecameAvailable(self) }
        setTimer()
    }

    func linkFlushed(_ link: HTTP2Link) {
        if canStartRequest { owner.connectionBecameAvailable(self) }
    }

    func link(_ link: HTTP2Link, ended end: HTTP2ConnectionEnd) {
        // The reason for draining says more than the end itself.
        finish(machine.drainReason ?? end)
    }

    private func handle(_ event: HTTP2SessionEvent) {
        switch event {
        case .settingsReceived(let maxConcurrentStreams):
            if machine.settingsReceived(maxConcurrentStreams: maxConcurrentStreams) { owner.connectionOpened(self) }
        case .messageReceived(let exchange):
            responseReceived(by: Self.request(exchange))
        case .streamClosed(let exchange, let errorCode):
            streamClosed(Self.request(exchange), errorCode: errorCode)
        case .goAwayReceived(let errorCode, let debugData):
            let debugData = String(decoding: debugData.prefix(Self.maxDebugBytes), as: UTF8.self)
            drain(.goAway(errorCode: errorCode, debugData: debugData))
        }
    }

    /// Returns an exchange as a request; a client's session has no other exchanges.
    private static func request(_ exchange: HTTP2Exchange) -> PendingRequest {
        guard let request = exchange as? PendingRequest else { preconditionFailure("a stream that was not started") }
        return request
    }

    private func responseReceived(by request: PendingRequest) {
        guard !request.isCompleted, let response = request.takeResponse() else { return }
        machine.responseReceived()
        // A peer may respond before it has the whole request (RFC 9113, section 8.1), and need not extend the window
        // for the rest. The body would then wait forever, and its stream would count towards the limit.
        if request.unsentBytes > 0 { resetStream(of: request) }
        let isRefused = configuration.endsConnection(response)
        if !isRefused, !hasReceivedResponse {
            hasReceivedResponse = true
            owner.connectionReceivedResponse(self)
        }
        owner.connection(self, completed: request, with: .response(response))
        if isRefused { drain(.closedLocally) }
    }

    private func streamClosed(_ request: PendingRequest, errorCode: UInt32) {
        inFlight -= 1
        if request.isComplete, errorCode == HTTP2ErrorCode.noError {
            responseReceived(by: request)
        }
        if !request.isCompleted {
            switch errorCode {
            case HTTP2ErrorCode.refusedStream:
                returnToQueue(request, because: .reset(errorCode: errorCode))
            default:
                owner.connection(self, completed: request, with: .unknown(.reset(errorCode: errorCode)))
            }
        }
        while started.first?.isOver == true { started.removeFirst() }
        perform(machine.streamClosed())
    }
}
