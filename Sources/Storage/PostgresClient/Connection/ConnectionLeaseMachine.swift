/// The state of one borrower's connection lease, and the statements due before the next borrower gets the connection.
///
/// BEGIN is not sent on its own but in front of the first statement, in the same round trip, so a body that sends
/// nothing costs nothing.
struct ConnectionLeaseMachine {
    /// The connection's transaction status after an exchange, as reported by libpq.
    enum Status: Equatable {
        /// No transaction.
        case idle
        /// A transaction that can be committed.
        case inTransaction
        /// A transaction that can only be rolled back.
        case inFailedTransaction
        /// The connection is unusable.
        case broken
    }

    /// Whether and how an exchange may start.
    enum Start: Equatable {
        /// Send the statements.
        case plain
        /// Send BEGIN in front of the statements.
        case withBegin
        /// Send nothing: the lease has ended, or its transaction was committed.
        case refuse
    }

    /// The action due when the borrower is done.
    enum Ending: Equatable {
        /// Nothing.
        case nothing
        /// COMMIT.
        case commit
        /// Send ROLLBACK, and report the first error of the transaction, if any, to the borrower.
        case rollBack(reporting: PostgresError?)
        /// Send nothing, and report the first error of the transaction to the borrower.
        case fail(PostgresError)
    }

    /// The effect of a COMMIT for which the server reported no error.
    enum Commit: Equatable {
        /// The transaction was committed.
        case committed
        /// The transaction had failed before: PostgreSQL then rolls it back and reports no error.
        case rolledBack
    }

    private enum State {
        /// The lease has no transaction.
        case plain
        /// Nothing was sent. Next: BEGIN with the first exchange, or the end.
        case beginPending
        /// BEGIN was sent. Next: further exchanges, COMMIT, or the end.
        case beginSent
        /// COMMIT was sent with the borrower's last statements and succeeded. Next: the end.
        case committed
        /// The lease has ended.
        case over
    }

    private var state: State
    /// The connection's status after the last exchange.
    private(set) var status = Status.idle
    /// The first error of the transaction.
    ///
    /// Later errors only report that the transaction has failed.
    private var firstError: PostgresError?

    /// Creates the state of a new lease.
    /// - Parameter isTransaction: whether all statements of the borrower form one transaction.
    init(isTransaction: Bool) {
        state = isTransaction ? .beginPending : .plain
    }

    /// Whether COMMIT may be sent with a pipeline.
    var isTransaction: Bool {
        switch state {
        case .plain: false
        case .beginPending, .beginSent, .committed, .over: true
        }
    }

    /// Starts an exchange and returns how to send it, or its refusal; called before each exchange.
    mutating func exchangeStarts() -> Start {
        switch state {
        case .plain, .beginSent:
            return .plain
        case .beginPending:
            state = .beginSent
            return .withBegin
        case .committed, .over:
            return .refuse
        }
    }

    /// Records the result of an exchange; called after each exchange.
    /// - Parameters:
    ///   - status: the connection's status now.
    ///   - error: the error of the exchange, if any.
    ///   - commit: the effect of the exchange's COMMIT; nil if there was none, or the server did not reach it.
    mutating func exchangeEnded(status: Status, error: PostgresError?, commit: Commit?) {
        self.status = status
        firstError = firstError ?? error
        // A transaction that continues after an error was rolled back to a savepoint: the error undid nothing else.
        if status == .inTransaction, error == nil { firstError = nil }
        switch commit {
        case .committed: state = .committed
        // The error that made the transaction fail is reported when the borrower's closure returns.
        case .rolledBack, nil: break
        }
    }

    /// Returns the action that is due when the borrower's closure has returned.
    func bodyReturned() -> Ending {
        switch state {
        case .over: preconditionFailure("the connection lease has ended already")
        case .beginPending, .committed: return .nothing
        case .plain:
            // A transaction that the borrower opened itself and left open must not leak into the next lease.
            return hasOpenTransaction ? .rollBack(reporting: nil) : .nothing
        case .beginSent: break
        }
        switch status {
        case .inTransaction: return .commit
        case .inFailedTransaction: return .rollBack(reporting: firstError)
        case .idle, .broken:
            // The borrower ended the transaction with its own statements, or caught an error and ignored it.
            return firstError.map(Ending.fail) ?? .nothing
        }
    }

    /// Returns the action that is due when the borrower's closure has thrown an error.
    func bodyThrew() -> Ending {
        hasOpenTransaction ? .rollBack(reporting: nil) : .nothing
    }

    /// Ends the lease: nothing may be sent from now on.
    mutating func end() {
        state = .over
    }

    private var hasOpenTransaction: Bool {
        switch status {
        case .inTransaction, .inFailedTransaction: true
        case .idle, .broken: false
        }
    }
}
