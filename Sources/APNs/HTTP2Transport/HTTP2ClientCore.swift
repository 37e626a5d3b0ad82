import Logging

/// A client's request queue and connections, on the loop's thread.
///
/// Requests wait here and not in nghttp2, so that a waiting request can time out, move to another connection or be
/// rejected without involving a connection.
final class HTTP2ClientCore {
    private let configuration: HTTP2Client.Configuration
    private let context: TLSContext
    private let logger: Logger
    private let submissions: SubmissionQueue
    /// The submissions of the last turn; kept for its capacity.
    private var drained: [SubmissionQueue.Submission] = []
    private var queue = RequestQueue()
    private var lastNumber = 0
    private let outcomes = OutcomeQueue()
    private var pool: HTTP2PoolMachine
    /// The connections that accept requests, in the order of opening.
    private var available: [HTTP2ClientConnection] = []
    /// All connections, including those that connect or drain.
    private var connections: [Int: HTTP2ClientConnection] = [:]
    private var blockedOnStreams = 0
    private var blockedOnWindow = 0
    /// The end of the last connection; nil while there is a connection.
    private var lastEnd: HTTP2ConnectionEnd?
    private var generator = SystemRandomNumberGenerator()
    private var isFillRequested = false
    private var isDeliveryRequested = false
    private var retryTime: ContinuousClock.Instant?
    /// The time of the selector's timer.
    private var timer: ContinuousClock.Instant?
    private var stopWaiters: [@Sendable () -> Void] = []
    private var stopDeadline: ContinuousClock.Instant?
    /// The selector, and the handle by which other threads reach this object.
    ///
    /// Nil before ``bind(_:as:)`` and after the end.
    private var environment: (selector: Selector, core: LoopBound<HTTP2ClientCore>)?

    init(
        configuration: HTTP2Client.Configuration,
        submissions: SubmissionQueue,
        logger: Logger
    ) throws(TransportError) {
        self.configuration = configuration
        self.submissions = submissions
        self.context = try TLSContext(trusting: configuration.trust)
        self.logger = logger
        self.pool = HTTP2PoolMachine(limits: configuration.poolLimits)
    }

    /// Sets the environment; called before all other methods.
    func bind(_ selector: Selector, as core: LoopBound<HTTP2ClientCore>) {
        environment = (selector, core)
    }

    func connect() {
        perform(pool.needed(at: .now, waitingSince: nil))
    }

    var statistics: HTTP2ClientStatistics {
        HTTP2ClientStatistics(
            connections: available.count,
            otherConnections: connections.count - available.count,
            streams: connections.values.reduce(0) { $0 + $1.inFlight },
            queued: queue.count,
            blockedOnStreams: blockedOnStreams,
            blockedOnWindow: blockedOnWindow
        )
    }

    /// Moves submitted requests to the queue.
    func takeSubmissions() {
        submissions.drain(into: &drained)
        let now = ContinuousClock.now
        for submission in drained {
            switch submission {
            case .batch(let requests, until: let deadline, let resumesTasks, let receive):
                let batch = RequestBatch(resumesTasks: resumesTasks, receive)
                for (index, request) in requests.enumerated() {
                    enqueue(request, at: now, until: deadline, for: .batch(batch, index))
                }
            case .task(let request, until: let deadline, let awaiter):
                enqueue(request, at: now, until: deadline, for: .task(awaiter))
            }
        }
        drained.removeAll(keepingCapacity: true)
        requestFill()
    }

    private func enqueue(
        _ request: HTTP2ClientRequest,
        at now: ContinuousClock.Instant,
        until deadline: ContinuousClock.Instant?,
        for receiver: PendingRequest.Receiver
    ) {
        lastNumber += 1
        let latest = now + configuration.requestTimeout
        let request = PendingRequest(
            request,
            number: lastNumber,
            submittedAt: now,
            deadline: min(deadline ?? latest, latest),
            receiver: receiver
        )
        if isStopping {
            complete(request, .neverProcessed(.shutDown))
        } else {
            queue.insert(request)
        }
    }

    /// Completes a request; called exactly once for each.
    private func complete(_ request: PendingRequest, _ outcome: consuming HTTP2Outcome) {
        outcomes.add(outcome, of: request)
        guard !isDeliveryRequested else { return }
        guard let (selector, _) = environment else { return outcomes.deliver() }
        isDeliveryRequested = true
        selector.atEndOfTurn { [self] in
            isDeliveryRequested = false
            outcomes.deliver()
        }
    }

    /// Rejects waiting requests, lets requests in flight finish until the deadline, and then calls `done`.
    func stop(at deadline: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void) {
        stopWaiters.append(done)
        stopDeadline = min(stopDeadline ?? deadline, deadline)
        pool.stop()
        // No further connection is opened.
        retryTime = nil
        while let request = queue.popFirst() { complete(request, .neverProcessed(.shutDown)) }
        for connection in sortedConnections { connection.drain(.closedLocally) }
        setTimer()
        finishStopping()
    }

    /// Passes the connected socket, or the failure to connect, to the connection if it still exists.
    func connected(_ id: Int, _ result: Result<Descriptor, HTTP2ConnectionEnd>) {
        connections[id]?.connected(result, context: context)
    }

    private var isStopping: Bool { stopDeadline != nil }

    private var sortedConnections: [HTTP2ClientConnection] { connections.values.sorted { $0.id < $1.id } }

    private static func level(of end: HTTP2ConnectionEnd) -> Logger.Level {
        switch end {
        case .closedLocally: .info
        case .unresolved, .refused, .connectTimedOut, .lost, .protocolError, .goAway, .unresponsive: .notice
        // Permanent errors: a certificate or a setting is wrong.
        case .handshakeFailed, .notHTTP2: .error
        }
    }

    private func finishStopping() {
        guard isStopping, connections.isEmpty else { return }
        let waiters = stopWaiters
        stopWaiters = []
        // No timer may outlive this object.
        environment?.selector.cancelTimer(of: self)
        // Breaks the reference cycle, so that the client and its thread can be released.
        environment = nil
        outcomes.deliver()
        for done in waiters { done() }
    }

    // MARK: The queue

    /// Schedules the start of waiting requests at the end of the turn, so that requests of many jobs are written
    /// together.
    private func requestFill() {
        guard !isFillRequested, let (selector, _) = environment else { return }
        isFillRequested = true
        selector.atEndOfTurn { [self] in
            isFillRequested = false
            fill()
        }
    }

    private func fill() {
        let now = ContinuousClock.now
        expire(at: now)
        for connection in available {
            while connection.canStartRequest, let request = queue.popFirst() {
                if request.isOver(at: now) {
                    complete(request, late(request, at: now))
                } else if !connection.start(request) {
                    queue.insert(request)
                }
            }
        }
        if !queue.isEmpty {
            noteWhyRequestsWait()
            perform(pool.needed(at: now, waitingSince: waitingSince))
        }
        setTimer()
    }

    private func noteWhyRequestsWait() {
        guard !available.isEmpty else { return }
        if available.contains(where: \.isBlockedOnWindow) {
            blockedOnWindow += 1
        } else {
            blockedOnStreams += 1
        }
    }

    /// The time at which the next request was submitted; nil if no request waits.
    private var waitingSince: ContinuousClock.Instant? { queue.first?.submittedAt }

    private func expire(at now: ContinuousClock.Instant) {
        for request in queue.removeExpired(at: now) { complete(request, late(request, at: now)) }
    }

    /// Returns the outcome of a request that was not started in time.
    private func late(_ request: PendingRequest, at now: ContinuousClock.Instant) -> HTTP2Outcome {
        // The reason for the missing connection says more than a timeout.
        if let lastEnd { return .neverProcessed(.connection(lastEnd)) }
        return .neverProcessed(request.deadline <= now ? .timedOut : .tooLate)
    }

    // MARK: Connections and time

    private func perform(_ action: HTTP2PoolMachine.Action) {
        switch action {
        case .none: break
        case .connect(let id): open(id)
        case .wait(let time): retryTime = time
        }
        setTimer()
    }

    private func open(_ id: Int) {
        guard let (selector, core) = environment else { return }
        retryTime = nil
        let connection = HTTP2ClientConnection(id: id, configuration: configuration, selector: selector, owner: self)
        connections[id] = connection
        Dialer.dial(
            host: configuration.host,
            port: configuration.port,
            number: id,
            until: .now + configuration.connectTimeout
        ) { result in
            core.run { core, _ in core.connected(id, result) }
        }
    }

    private func lost(_ connection: HTTP2ClientConnection, because end: HTTP2ConnectionEnd) {
        available.removeAll { $0 === connection }
        if available.isEmpty { lastEnd = end }
        perform(pool.lost(connection.id, at: .now, waitingSince: waitingSince, using: &generator))
    }

    /// Moves the timer forward if the next event is earlier.
    ///
    /// The timer may fire early, for an event that no longer applies: moving it on each change would cost more.
    private func setTimer() {
        guard let (selector, _) = environment else { return }
        var next = queue.nextTime
        for time in [retryTime, connections.isEmpty ? nil : stopDeadline] {
            if let time { next = min(next ?? time, time) }
        }
        guard let next else { return }
        if let timer, timer <= next { return }
        timer = next
        selector.setTimer(of: self, at: next) { [unowned self] in timerFired() }
    }

    private func timerFired() {
        timer = nil
        let now = ContinuousClock.now
        if let retryTime, retryTime <= now {
            self.retryTime = nil
            if !queue.isEmpty { perform(pool.needed(at: now, waitingSince: waitingSince)) }
        }
        if let stopDeadline, stopDeadline <= now {
            for connection in sortedConnections { connection.close() }
        }
        requestFill()
    }
}

extension HTTP2ClientCore: HTTP2ClientConnectionOwner {
    func connectionOpened(_ connection: HTTP2ClientConnection) {
        logger.info("Connected", metadata: ["peer": "\(configuration.authority)", "connection": "\(connection.id)"])
        pool.opened(connection.id)
        available.append(connection)
        lastEnd = nil
        requestFill()
    }

    func connectionReceivedResponse(_ connection: HTTP2ClientConnection) {
        pool.responseReceived(on: connection.id)
    }

    func connectionBecameAvailable(_ connection: HTTP2ClientConnection) {
        if !queue.isEmpty { requestFill() }
    }

    func connection(
        _ connection: HTTP2ClientConnection,
        completed request: PendingRequest,
        with outcome: consuming HTTP2Outcome
    ) {
        complete(request, outcome)
    }

    func connection(_ connection: HTTP2ClientConnection, returned request: PendingRequest, because: HTTP2Failure) {
        if isStopping {
            complete(request, .neverProcessed(.shutDown))
        } else if request.attempts >= configuration.maxAttempts {
            complete(request, .neverProcessed(because))
        } else {
            queue.insert(request)
            requestFill()
        }
    }

    func connectionDrains(_ connection: HTTP2ClientConnection, because end: HTTP2ConnectionEnd) {
        logger.info(
            "Connection accepts no more requests",
            metadata: ["connection": "\(connection.id)", "reason": "\(end)"]
        )
        lost(connection, because: end)
    }

    func connection(_ connection: HTTP2ClientConnection, ended end: HTTP2ConnectionEnd) {
        logger.log(
            level: Self.level(of: end),
            "Connection ended",
            metadata: ["connection": "\(connection.id)", "reason": "\(end)"]
        )
        connections[connection.id] = nil
        lost(connection, because: end)
        finishStopping()
    }
}
