import Synchronization

/// The lease of a session by one borrower, shared by the borrower and the session's thread.
final class ConnectionLease: Sendable {
    private let machine: Mutex<ConnectionLeaseMachine>

    /// Creates a lease.
    /// - Parameter isTransaction: whether all statements of the borrower form one transaction.
    init(isTransaction: Bool) {
        machine = Mutex(ConnectionLeaseMachine(isTransaction: isTransaction))
    }

    /// Accesses the state machine under its lock.
    func with<Result>(_ body: (inout sending ConnectionLeaseMachine) -> sending Result) -> sending Result {
        machine.withLock(body)
    }
}
