import Synchronization

/// One borrowing of a session, shared by the borrower and the session's thread.
final class Lease: Sendable {
    private let machine: Mutex<LeaseMachine>

    /// - Parameter isTransaction: whether everything the borrower sends is one transaction.
    init(isTransaction: Bool) {
        machine = Mutex(LeaseMachine(isTransaction: isTransaction))
    }

    /// Asks or tells the machine.
    func with<Result>(_ body: (inout sending LeaseMachine) -> sending Result) -> sending Result {
        machine.withLock(body)
    }
}
