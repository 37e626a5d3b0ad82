import DequeModule
import Logging

/// A client's queue and its connections, on the loop's thread.
///
/// The queue is here and not in nghttp2, so that a request that waits can time out, move to the next connection or be
/// refused without the connection knowing of it.
final class HTTP2ClientCore {
    private let configuration: HTTP2Client.Configuration
    private let context: TLSContext
    private let logger: Logger
    private var queue: Deque<PendingRequest> = []
    private var reconnect: ReconnectMachine
    /// The one that takes requests, from its first dialling on.
    private var current: HTTP2ClientConnection?
    /// All that are not gone, the draining ones included.
    private var connections: [Int: HTTP2ClientConnection] = [:]
    private var lastID = 0
    /// Why there is no connection; nil while there is one.
    private var lastEnd: HTTP2ConnectionEnd?
    private var generator = SystemRandomNumberGenerator()
    private var isFillRequested = false
    private var retryTime: ContinuousClock.Instant?
    private var stopWaiters: [@Sendable () -> Void] = []
    private var stopDeadline: ContinuousClock.Instant?
    /// The loop's side, and this object as other threads hold it.
    ///
    /// Set by the first job.
    private var environment: (selector: Selector, core: LoopBound<HTTP2ClientCore>)?

    init(configuration: HTTP2Client.Configuration, logger: Logger) throws(TransportError) {
        self.configuration = configuration
        self.context = try TLSContext(trusting: configuration.trust)
        self.logger = logger
        self.reconnect = ReconnectMachine(backoff: configuration.backoff)
    }

    /// The first thing that is called.
    func bind(_ selector: Selector, as core: LoopBound<HTTP2ClientCore>) {
        environment = (selector, core)
    }

    func connect() {
        perform(reconnect.needed(at: .now))
    }

    func submit(_ requests: [HTTP2ClientRequest], completion: @escaping @Sendable ([HTTP2Outcome]) -> Void) {
        let batch = RequestBatch(count: requests.count, completion: completion)
        let deadline = ContinuousClock.now + configuration.requestTimeout
        for (index, request) in requests.enumerated() {
            let pending = PendingRequest(request, deadline: deadline, batch: batch, index: index)
            if isStopping {
                pending.complete(.neverProcessed(.shutDown))
            } else if queue.count >= configuration.maxQueuedRequests {
                pending.complete(.neverProcessed(.queueFull))
            } else {
                queue.append(pending)
            }
        }
        requestFill()
    }

    /// Refuses what waits, lets what is in flight end until the deadline, and then calls back.
    func stop(at deadline: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void) {
        stopWaiters.append(done)
        stopDeadline = min(stopDeadline ?? deadline, deadline)
        reconnect.stop()
        // Nothing is dialled any more, and no timer may outlive this object.
        retryTime = nil
        let waiting = queue
        queue = []
        for request in waiting { request.complete(.neverProcessed(.shutDown)) }
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

    private func finishStopping() {
        guard isStopping, connections.isEmpty else { return }
        let waiters = stopWaiters
        stopWaiters = []
        setTimer()
        // It holds this object; without it the client and its thread can go.
        environment = nil
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
        expire(at: .now)
        while let connection = current, connection.room > 0, var request = queue.popFirst() {
            request.attempts += 1
            if !connection.start(request) { queue.prepend(request) }
        }
        if current == nil, !queue.isEmpty { perform(reconnect.needed(at: .now)) }
        setTimer()
    }

    private func expire(at now: ContinuousClock.Instant) {
        while let request = queue.first, request.deadline <= now {
            queue.removeFirst()
            // What keeps the connection from coming up says more than that time is over.
            request.complete(.neverProcessed(lastEnd.map(HTTP2Failure.connection) ?? .timedOut))
        }
    }

    // MARK: Connections and time

    private func perform(_ action: ReconnectMachine.Action) {
        switch action {
        case .none: break
        case .connect: open()
        case .wait(let time): retryTime = time
        }
        setTimer()
    }

    private func open() {
        guard let (selector, core) = environment else { return }
        retryTime = nil
        lastID += 1
        let id = lastID
        let connection = HTTP2ClientConnection(id: id, configuration: configuration, selector: selector, owner: self)
        current = connection
        connections[id] = connection
        Dialer.dial(
            host: configuration.host,
            port: configuration.port,
            until: .now + configuration.connectTimeout
        ) { result in
            core.run { core, _ in core.dialled(id, result) }
        }
    }

    private func lost(_ connection: HTTP2ClientConnection, because end: HTTP2ConnectionEnd) {
        guard connection === current else { return }
        current = nil
        lastEnd = end
        perform(reconnect.lost(at: .now, isNeeded: !queue.isEmpty, using: &generator))
    }

    private func setTimer() {
        guard let (selector, _) = environment else { return }
        let times = [queue.first?.deadline, retryTime, connections.isEmpty ? nil : stopDeadline].compactMap(\.self)
        selector.setTimer(of: self, at: times.min()) { [unowned self] in timerFired() }
    }

    private func timerFired() {
        let now = ContinuousClock.now
        if let retryTime, retryTime <= now {
            self.retryTime = nil
            perform(reconnect.needed(at: now))
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
        guard connection === current else { return }
        reconnect.opened()
        lastEnd = nil
    }

    func connectionServed(_ connection: HTTP2ClientConnection) {
        if connection === current { reconnect.served() }
    }

    func connectionHasRoom(_ connection: HTTP2ClientConnection) {
        requestFill()
    }

    func connection(_ connection: HTTP2ClientConnection, returned request: PendingRequest, because: HTTP2Failure) {
        if isStopping {
            request.complete(.neverProcessed(.shutDown))
        } else if request.attempts >= configuration.maxAttempts {
            request.complete(.neverProcessed(because))
        } else {
            // It was here before all that waits now.
            queue.prepend(request)
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
            level: end == .closedHere ? .info : .notice,
            "Connection ended",
            metadata: ["connection": "\(connection.id)", "reason": "\(end)"]
        )
        connections[connection.id] = nil
        lost(connection, because: end)
        finishStopping()
    }
}
