/// What one borrower of a connection has done with it, and what is owed before the next may have it.
///
/// A transaction's BEGIN is not sent by itself but in front of the first statement, in the same round trip; a body
/// that sends nothing costs nothing.
struct LeaseMachine {
    /// Where the connection stands after an exchange (libpq's transaction status).
    enum Standing: Equatable {
        /// In no transaction.
        case idle
        /// In a transaction that can be committed.
        case inTransaction
        /// In a transaction that can only be rolled back.
        case inFailedTransaction
        /// Unusable.
        case broken
    }

    /// Whether and how an exchange may start.
    enum Start: Equatable {
        /// Send what was asked for.
        case plain
        /// Send BEGIN in front of it.
        case behindBegin
        /// Send nothing: the lease is over, or its transaction was committed.
        case refuse
    }

    /// What is owed when the borrower is done.
    enum Ending: Equatable {
        /// Nothing.
        case nothing
        /// COMMIT.
        case commit
        /// ROLLBACK, and the borrower is told of the error that made it necessary.
        case rollBack(telling: PostgresError?)
        /// Nothing is to be sent, and the borrower is told of the error that undid the transaction.
        case tell(PostgresError)
    }

    /// What the server has made of a COMMIT that it answered without an error.
    enum Commit: Equatable {
        /// The transaction has taken effect.
        case committed
        /// The transaction had failed before: PostgreSQL rolls it back then, and reports no error.
        case rolledBack
    }

    private enum State {
        /// No transaction is kept for the borrower.
        case plain
        /// Nothing was sent yet: what follows is BEGIN with the first exchange, or the end.
        case beginOwed
        /// BEGIN was sent: what follows are further exchanges, the commit, or the end.
        case begun
        /// COMMIT was sent with the borrower's last statements and has succeeded: only the end follows.
        case committed
        /// The borrower is done: nothing follows.
        case over
    }

    private var state: State
    /// Where the connection stood after the last exchange.
    private(set) var standing = Standing.idle
    /// The first error since the transaction was whole: the ones behind it only say that the transaction has failed.
    private var firstError: PostgresError?

    /// - Parameter isTransaction: whether everything the borrower sends is one transaction.
    init(isTransaction: Bool) {
        state = isTransaction ? .beginOwed : .plain
    }

    /// Whether the borrower may have COMMIT sent with a pipeline.
    var isTransaction: Bool {
        switch state {
        case .plain: false
        case .beginOwed, .begun, .committed, .over: true
        }
    }

    /// The borrower, or the end of its lease, wants to send something.
    mutating func exchangeStarts() -> Start {
        switch state {
        case .plain, .begun:
            return .plain
        case .beginOwed:
            state = .begun
            return .behindBegin
        case .committed, .over:
            return .refuse
        }
    }

    /// An exchange has ended.
    /// - Parameters:
    ///   - standing: where the connection stands now.
    ///   - error: what went wrong.
    ///   - commit: what became of the transaction's COMMIT at its end; nil when there was none, or none was reached.
    mutating func exchangeEnded(standing: Standing, error: PostgresError?, commit: Commit?) {
        self.standing = standing
        firstError = firstError ?? error
        // A transaction that goes on after an error went back to a savepoint: the error has undone nothing else.
        if standing == .inTransaction, error == nil { firstError = nil }
        switch commit {
        case .committed: state = .committed
        // The error that made the transaction fail is told when the borrower has returned.
        case .rolledBack, nil: break
        }
    }

    /// The borrower has returned.
    func bodyReturned() -> Ending {
        switch state {
        case .over: preconditionFailure("a lease ends once")
        case .beginOwed, .committed: return .nothing
        case .plain:
            // A transaction of the borrower's own that it has left open must not leak into the next lease.
            return hasOpenTransaction ? .rollBack(telling: nil) : .nothing
        case .begun: break
        }
        switch standing {
        case .inTransaction: return .commit
        case .inFailedTransaction: return .rollBack(telling: firstError)
        case .idle, .broken:
            // Either the borrower has ended the transaction with statements of its own, or it has swallowed an error.
            return firstError.map(Ending.tell) ?? .nothing
        }
    }

    /// The borrower has thrown.
    func bodyThrew() -> Ending {
        hasOpenTransaction ? .rollBack(telling: nil) : .nothing
    }

    /// What was owed has been done; nothing may be sent any more.
    mutating func end() {
        state = .over
    }

    private var hasOpenTransaction: Bool {
        switch standing {
        case .inTransaction, .inFailedTransaction: true
        case .idle, .broken: false
        }
    }
}
