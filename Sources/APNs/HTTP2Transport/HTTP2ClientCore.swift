import Logging

/// A client's queue and its connections, on the loop's thread.
///
/// The queue is here and not in nghttp2, so that a request that waits can time out, move to the next connection or be
/// refused without the connection knowing of it.
final class HTTP2ClientCore {
    private let configuration: HTTP2Client.Configuration
    private let context: TLSContext
    private let logger: Logger
    private let submissions: SubmissionQueue
    /// What was taken last; kept for its capacity.
    private var taken: [SubmissionQueue.Submission] = []
    private var queue = RequestQueue()
    private var lastNumber = 0
    private let outcomes = OutcomeQueue()
    private var pool: PoolMachine
    /// Those that take requests, in the order of opening.
    private var taking: [HTTP2ClientConnection] = []
    /// All that are not gone, those that come up or drain included.
    private var connections: [Int: HTTP2ClientConnection] = [:]
    private var blockedOnStreams = 0
    private var blockedOnWindow = 0
    /// Why there is no connection; nil while there is one.
    private var lastEnd: HTTP2ConnectionEnd?
    private var generator = SystemRandomNumberGenerator()
    private var isFillRequested = false
    private var isTellRequested = false
    private var retryTime: ContinuousClock.Instant?
    /// When the selector's timer is set for.
    private var timer: ContinuousClock.Instant?
    private var stopWaiters: [@Sendable () -> Void] = []
    private var stopDeadline: ContinuousClock.Instant?
    /// The loop's side, and this object as other threads hold it.
    ///
    /// Set by the first job.
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
        self.pool = PoolMachine(limits: configuration.poolLimits)
    }

    /// The first thing that is called.
    func bind(_ selector: Selector, as core: LoopBound<HTTP2ClientCore>) {
        environment = (selector, core)
    }

    func connect() {
        perform(pool.needed(at: .now, waitingSince: nil))
    }

    var statistics: HTTP2ClientStatistics {
        HTTP2ClientStatistics(
            connections: taking.count,
            otherConnections: connections.count - taking.count,
            streams: connections.values.reduce(0) { $0 + $1.inFlight },
            queued: queue.count,
            blockedOnStreams: blockedOnStreams,
            blockedOnWindow: blockedOnWindow
        )
    }

    /// Takes over what was submitted.
    func takeSubmissions() {
        submissions.take(into: &taken)
        let latest = ContinuousClock.now + configuration.requestTimeout
        for submission in taken {
            switch submission {
            case .batch(let requests, until: let deadline, let completion):
                let deadline = min(deadline ?? latest, latest)
                let batch = RequestBatch(count: requests.count, completion: completion)
                for (index, request) in requests.enumerated() {
                    let asker = PendingRequest.Asker.batch(batch, index)
                    enqueue(PendingRequest(request, number: nextNumber(), deadline: deadline, asker: asker))
                }
            case .task(let request, until: let deadline, let awaiter):
                let deadline = min(deadline ?? latest, latest)
                enqueue(PendingRequest(request, number: nextNumber(), deadline: deadline, asker: .task(awaiter)))
            }
        }
        taken.removeAll(keepingCapacity: true)
        requestFill()
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func enqueue(_ request: PendingRequest) {
        if isStopping {
            complete(request, .neverProcessed(.shutDown))
        } else {
            queue.insert(request)
        }
    }

    /// To be called exactly once for each request.
    private func complete(_ request: PendingRequest, _ outcome: consuming HTTP2Outcome) {
        outcomes.add(outcome, of: request)
        guard !isTellRequested else { return }
        guard let (selector, _) = environment else { return outcomes.tell() }
        isTellRequested = true
        selector.atEndOfTurn { [self] in
            isTellRequested = false
            outcomes.tell()
        }
    }

    /// Refuses what waits, lets what is in flight end until the deadline, and then calls back.
    func stop(at deadline: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void) {
        stopWaiters.append(done)
        stopDeadline = min(stopDeadline ?? deadline, deadline)
        pool.stop()
        // Nothing is dialled any more.
        retryTime = nil
        while let request = queue.popFirst() { complete(request, .neverProcessed(.shutDown)) }
        for connection in sortedConnections { connection.drain(.closedHere) }
        setTimer()
        finishStopping()
    }

    /// For the connection of that number, while it exists.
    func dialled(_ id: Int, _ result: Result<Descriptor, HTTP2ConnectionEnd>) {
        connections[id]?.dialled(result, context: context)
    }

    private var isStopping: Bool { stopDeadline != nil }

    private var sortedConnections: [HTTP2ClientConnection] { connections.values.sorted { $0.id < $1.id } }

    private static func level(of end: HTTP2ConnectionEnd) -> Logger.Level {
        switch end {
        case .closedHere: .info
        case .unresolved, .refused, .connectTimedOut, .lost, .protocolError, .goAway, .silent: .notice
        // It does not pass by itself: a certificate or a setting is wrong.
        case .handshakeFailed, .notHTTP2: .error
        }
    }

    private func finishStopping() {
        guard isStopping, connections.isEmpty else { return }
        let waiters = stopWaiters
        stopWaiters = []
        // No timer may outlive this object.
        environment?.selector.cancelTimer(of: self)
        // It holds this object; without it the client and its thread can go.
        environment = nil
        outcomes.tell()
        for done in waiters { done() }
    }

    // MARK: The queue

    /// At the end of the turn, so that what many jobs of the turn have submitted is written together.
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
        for connection in taking {
            while connection.hasRoom, let request = queue.popFirst() {
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
        guard !taking.isEmpty else { return }
        if taking.contains(where: \.isBlockedOnWindow) {
            blockedOnWindow += 1
        } else {
            blockedOnStreams += 1
        }
    }

    /// Since when the first request waits; nil when none does.
    private var waitingSince: ContinuousClock.Instant? {
        queue.first.map { $0.deadline - configuration.requestTimeout }
    }

    private func expire(at now: ContinuousClock.Instant) {
        for request in queue.expired(at: now) { complete(request, late(request, at: now)) }
    }

    /// What is known of a request that was not started in time.
    private func late(_ request: PendingRequest, at now: ContinuousClock.Instant) -> HTTP2Outcome {
        // What keeps the connection from coming up says more than that time is over.
        if let lastEnd { return .neverProcessed(.connection(lastEnd)) }
        return .neverProcessed(request.deadline <= now ? .timedOut : .tooLate)
    }

    // MARK: Connections and time

    private func perform(_ action: PoolMachine.Action) {
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
            core.run { core, _ in core.dialled(id, result) }
        }
    }

    private func lost(_ connection: HTTP2ClientConnection, because end: HTTP2ConnectionEnd) {
        taking.removeAll { $0 === connection }
        if taking.isEmpty { lastEnd = end }
        perform(pool.lost(connection.id, at: .now, waitingSince: waitingSince, using: &generator))
    }

    /// The timer may come early, for something that is gone by then, so that it need not be moved all the time.
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
        taking.append(connection)
        lastEnd = nil
        requestFill()
    }

    func connectionServed(_ connection: HTTP2ClientConnection) {
        pool.served(connection.id)
    }

    func connectionHasRoom(_ connection: HTTP2ClientConnection) {
        if !queue.isEmpty { requestFill() }
    }

    func connection(
        _ connection: HTTP2ClientConnection,
        settled request: PendingRequest,
        as outcome: consuming HTTP2Outcome
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
            "Connection takes no more requests",
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
