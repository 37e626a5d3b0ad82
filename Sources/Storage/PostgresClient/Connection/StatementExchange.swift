import CLibpq

/// One exchange with the server, from the first byte sent to the last byte received.
///
/// An exchange runs on the connection's thread and blocks only in `poll`. Task cancellation and the deadline end the
/// wait, and the server is asked to cancel the statement.
struct StatementExchange: ~Copyable {
    let connection: ConnectionHandle
    /// The name of the statement whose results are being read, for errors.
    var statement: String
    /// Whether the server commits, and waits for the disk and perhaps for a standby.
    ///
    /// It is not asked to cancel then: PostgreSQL would end the wait, show others what a failover may still lose, and
    /// report success.
    var isCommitting = false
    private let poller: SocketPoller
    private let cancellation: CancellationFlag
    private let timeLimit: Duration?
    private var cancellationPolicy: CancellationPolicy
    private var cancelRequest: CancelRequest?
    private var hasUnsentBytes = false

    /// Starts an exchange.
    /// - Parameters:
    ///   - connection: a connection without another exchange in progress.
    ///   - statement: the name of the first statement.
    ///   - timeLimit: the time limit for the whole exchange; nil for none.
    ///   - gracePeriod: how long cancellation may take after the time limit.
    ///   - cancellation: set when the task is cancelled.
    ///   - poller: the poller that `cancellation` wakes.
    init(
        on connection: ConnectionHandle,
        statement: String,
        timeLimit: Duration?,
        gracePeriod: Duration,
        cancellation: CancellationFlag,
        poller: SocketPoller
    ) {
        self.connection = connection
        self.statement = statement
        self.timeLimit = timeLimit
        self.cancellation = cancellation
        self.poller = poller
        self.cancellationPolicy = CancellationPolicy(deadline: timeLimit.map { .now + $0 }, gracePeriod: gracePeriod)
    }

    /// Throws if libpq rejected a call that sends.
    func require(_ accepted: Bool) throws(PostgresError) {
        guard accepted else { throw connectionLostError() }
    }

    /// Waits for the next result; returns nil at the end of a statement's results.
    mutating func nextResult() throws(PostgresError) -> ResultHandle? {
        try flush()
        while hasUnsentBytes || connection.isBusy {
            try proceed()
        }
        return connection.nextResult()
    }

    /// Sends a part of a COPY, or its end, and flushes it so that libpq buffers nothing.
    mutating func send(_ queue: (ConnectionHandle) -> Bool?) throws(PostgresError) {
        var isQueued = false
        while !isQueued {
            guard let accepted = queue(connection) else { throw connectionLostError() }
            isQueued = accepted
            try flush()
            while hasUnsentBytes { try proceed() }
        }
    }

    /// Returns the error that a result reports.
    func failure(_ result: ResultHandle) -> PostgresError {
        guard let state = result.errorField(CLIBPQ_SQLSTATE).map(SQLState.init(rawValue:)), connection.isUsable else {
            return connectionLostError()
        }
        if state == .queryCancelled, let reason = cancellationPolicy.reason { return ended(by: reason) }
        return .server(
            PostgresServerError(
                state: state,
                message: result.errorField(CLIBPQ_MESSAGE) ?? "",
                detail: result.errorField(CLIBPQ_DETAIL),
                hint: result.errorField(CLIBPQ_HINT),
                table: result.errorField(CLIBPQ_TABLE),
                column: result.errorField(CLIBPQ_COLUMN),
                constraint: result.errorField(CLIBPQ_CONSTRAINT),
                statement: statement
            )
        )
    }

    /// Waits until no cancellation request is in flight, so that none can hit the connection's next statement.
    /// - Returns: whether the connection may be used again; false if the grace period ended first.
    consuming func finish() -> Bool {
        let giveUp = cancellationPolicy.cancellationDeadline(at: .now)
        while let cancelRequest, !cancelRequest.isFinished {
            guard ContinuousClock.now < giveUp else { return false }
            poller.wait(for: [], on: SocketPoller.noSocket, until: giveUp)
        }
        return true
    }

    /// Returns the error for a connection that libpq has given up.
    func connectionLostError() -> PostgresError {
        .connectionLost(statement: statement, reason: connection.errorMessage)
    }

    private mutating func flush() throws(PostgresError) {
        guard let isUnfinished = connection.flush() else { throw connectionLostError() }
        hasUnsentBytes = isUnfinished
    }

    /// Performs the next step of the cancellation policy: usually waits for the socket once, then receives and sends.
    ///
    /// Receives even while output is pending: a server whose send buffer is full does not read either.
    private mutating func proceed() throws(PostgresError) {
        let step = cancellationPolicy.next(
            at: .now,
            isTaskCancelled: cancellation.isRequested,
            hasRequestInFlight: cancelRequest.map { !$0.isFinished } ?? false
        )
        switch step {
        case .wait(let deadline):
            poller.wait(
                for: hasUnsentBytes ? [.readable, .writable] : .readable,
                on: connection.socket,
                until: deadline
            )
            guard connection.consumeInput() else { throw connectionLostError() }
            if hasUnsentBytes { try flush() }
        case .requestCancel where isCommitting:
            break
        case .requestCancel:
            // Without a request that keeps the session's key secret, the connection is closed.
            guard let handle = connection.cancelHandle() else {
                throw ended(by: cancellationPolicy.reason ?? .deadline)
            }
            cancelRequest = CancelRequest(handle, waking: poller)
        case .giveUp:
            throw ended(by: cancellationPolicy.reason ?? .deadline)
        }
    }

    private func ended(by reason: CancellationPolicy.Reason) -> PostgresError {
        guard !isCommitting else { return .outcomeUnknown(statement: statement, reason: "no response to the commit") }
        return switch reason {
        case .deadline: .timedOut(statement: statement, after: timeLimit ?? .zero)
        case .taskCancelled: .cancelled(statement: statement)
        }
    }
}
