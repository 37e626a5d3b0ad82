import CLibpq

/// One conversation with the server, from the first byte sent to the last one received.
///
/// Lives on the connection's thread and blocks it, in `poll` only; a task's cancellation and the deadline end the
/// wait, and the server is asked to stop.
struct Exchange: ~Copyable {
    let connection: ConnectionHandle
    /// The name of the statement that is being answered, for errors.
    var statement: String
    private let wakeUp: WakeUp
    private let interruption: Interruption
    private let timeLimit: Duration?
    private var patience: Patience
    private var cancelRequest: CancelRequest?
    private var hasUnsentBytes = false

    /// An exchange that begins now.
    /// - Parameters:
    ///   - connection: in no other exchange.
    ///   - statement: the name of the first statement.
    ///   - timeLimit: how long the whole exchange may take, nil for any time.
    ///   - gracePeriod: how long it may take from then on to be cancelled.
    ///   - interruption: the task's wish to end it early.
    ///   - wakeUp: what `interruption` wakes.
    init(
        on connection: ConnectionHandle,
        statement: String,
        timeLimit: Duration?,
        gracePeriod: Duration,
        interruption: Interruption,
        wakeUp: WakeUp
    ) {
        self.connection = connection
        self.statement = statement
        self.timeLimit = timeLimit
        self.interruption = interruption
        self.wakeUp = wakeUp
        self.patience = Patience(deadline: timeLimit.map { .now + $0 }, gracePeriod: gracePeriod)
    }

    /// Takes libpq's word for something that it was asked to send.
    func require(_ accepted: Bool) throws(PostgresError) {
        guard accepted else { throw lost() }
    }

    /// The next result, as soon as it is there; nil at the end of a statement's results.
    mutating func nextResult() throws(PostgresError) -> ResultHandle? {
        try flush()
        while hasUnsentBytes || connection.isBusy {
            try proceed()
        }
        return connection.nextResult()
    }

    /// Sends a part of a COPY, or its end, so that libpq keeps nothing of it in memory.
    mutating func send(_ queue: (ConnectionHandle) -> Bool?) throws(PostgresError) {
        var isQueued = false
        while !isQueued {
            guard let accepted = queue(connection) else { throw lost() }
            isQueued = accepted
            try flush()
            while hasUnsentBytes { try proceed() }
        }
    }

    /// The error that a result reports.
    func failure(_ result: ResultHandle) -> PostgresError {
        guard let state = result.errorField(CLIBPQ_SQLSTATE).map(SQLState.init(rawValue:)), connection.isUsable else {
            return lost()
        }
        if state == .queryCancelled, let reason = patience.reason { return ended(by: reason) }
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

    /// Waits until no request to cancel is under way, so that none can hit the connection's next statement.
    ///
    /// - Returns: false when it took too long: the connection must not be used again.
    consuming func settle() -> Bool {
        let giveUp = patience.settlesUntil(.now)
        while let cancelRequest, !cancelRequest.isFinished {
            guard ContinuousClock.now < giveUp else { return false }
            wakeUp.wait(for: [], on: WakeUp.noSocket, until: giveUp)
        }
        return true
    }

    /// What it means that libpq has given up the connection.
    func lost() -> PostgresError {
        .connectionLost(statement: statement, reason: connection.errorMessage)
    }

    private mutating func flush() throws(PostgresError) {
        guard let isUnfinished = connection.flush() else { throw lost() }
        hasUnsentBytes = isUnfinished
    }

    /// Waits for the socket once and takes in or sends what it allows.
    ///
    /// Also reads while it has something to send: a server that waits for us to read would wait forever otherwise.
    private mutating func proceed() throws(PostgresError) {
        let step = patience.next(
            at: .now,
            isInterrupted: interruption.isRequested,
            requestIsUnderWay: cancelRequest.map { !$0.isFinished } ?? false
        )
        switch step {
        case .wait(let deadline):
            wakeUp.wait(
                for: hasUnsentBytes ? [.readable, .writable] : .readable,
                on: connection.socket,
                until: deadline
            )
            guard connection.consumeInput() else { throw lost() }
            if hasUnsentBytes { try flush() }
        case .requestCancel:
            guard let handle = connection.cancelHandle() else { throw lost() }
            cancelRequest = CancelRequest(handle, waking: wakeUp)
        case .giveUp:
            throw ended(by: patience.reason ?? .deadline)
        }
    }

    private func ended(by reason: Patience.Reason) -> PostgresError {
        switch reason {
        case .deadline: .timedOut(statement: statement, after: timeLimit ?? .zero)
        case .interruption: .cancelled(statement: statement)
        }
    }
}
