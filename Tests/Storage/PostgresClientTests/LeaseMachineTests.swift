import Testing

@testable import PostgresClient

@Suite struct LeaseMachineTests {
    private let error = PostgresError.connectionLost(statement: "s", reason: "gone")

    @Test func `BEGIN is owed once, in front of the first exchange`() {
        var lease = LeaseMachine(isTransaction: true)
        #expect(lease.bodyReturned() == .nothing)
        #expect(lease.exchangeStarts() == .behindBegin)
        lease.exchangeEnded(standing: .inTransaction, error: nil, commit: nil)
        #expect(lease.exchangeStarts() == .plain)
        lease.exchangeEnded(standing: .inTransaction, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .commit)
    }

    @Test func `after a commit with the last statements nothing is owed and nothing may follow`() {
        var lease = LeaseMachine(isTransaction: true)
        #expect(lease.exchangeStarts() == .behindBegin)
        lease.exchangeEnded(standing: .idle, error: nil, commit: .committed)
        #expect(lease.exchangeStarts() == .refuse)
        #expect(lease.bodyReturned() == .nothing)
        #expect(lease.bodyThrew() == .nothing)
    }

    @Test func `an open transaction is rolled back when the body throws`() {
        for standing in [LeaseMachine.Standing.inTransaction, .inFailedTransaction] {
            var lease = LeaseMachine(isTransaction: true)
            _ = lease.exchangeStarts()
            lease.exchangeEnded(standing: standing, error: nil, commit: nil)
            #expect(lease.bodyThrew() == .rollBack(telling: nil))
        }
    }

    @Test func `a swallowed error is told, the first one`() {
        var lease = LeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .inFailedTransaction, error: error, commit: nil)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .inFailedTransaction, error: .closed, commit: nil)
        #expect(lease.bodyReturned() == .rollBack(telling: error))
    }

    @Test func `a commit that failed, and a lost connection, are told when the body has swallowed them`() {
        for standing in [LeaseMachine.Standing.idle, .broken] {
            var lease = LeaseMachine(isTransaction: true)
            _ = lease.exchangeStarts()
            lease.exchangeEnded(standing: standing, error: error, commit: nil)
            #expect(lease.bodyReturned() == .tell(error))
            #expect(lease.bodyThrew() == .nothing)
        }
    }

    @Test func `a commit that the server turned into a rollback is told, though it gave no error`() {
        var lease = LeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .inFailedTransaction, error: error, commit: nil)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .idle, error: nil, commit: .rolledBack)
        #expect(lease.bodyReturned() == .tell(error))
    }

    @Test func `a commit that succeeded behind a savepoint is told as one, whatever failed before`() {
        var lease = LeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .inFailedTransaction, error: error, commit: nil)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .idle, error: nil, commit: .committed)
        #expect(lease.bodyReturned() == .nothing)
    }

    @Test func `an error that a savepoint has undone is told no more`() {
        var lease = LeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .inFailedTransaction, error: error, commit: nil)
        lease.exchangeEnded(standing: .inTransaction, error: nil, commit: nil)
        var failing = lease
        failing.exchangeEnded(standing: .inFailedTransaction, error: .closed, commit: nil)
        #expect(failing.bodyReturned() == .rollBack(telling: .closed))
        // A COMMIT of the body's own.
        lease.exchangeEnded(standing: .idle, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .nothing)
    }

    @Test func `a transaction that the body has ended by itself owes nothing`() {
        var lease = LeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(standing: .idle, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .nothing)
    }

    @Test func `a plain lease owes ROLLBACK only for a transaction left open`() {
        var lease = LeaseMachine(isTransaction: false)
        #expect(lease.exchangeStarts() == .plain)
        lease.exchangeEnded(standing: .idle, error: error, commit: nil)
        #expect(lease.bodyReturned() == .nothing)
        #expect(lease.exchangeStarts() == .plain)
        lease.exchangeEnded(standing: .inTransaction, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .rollBack(telling: nil))
    }

    @Test func `after its end a lease refuses everything`() {
        for isTransaction in [false, true] {
            var lease = LeaseMachine(isTransaction: isTransaction)
            lease.end()
            #expect(lease.exchangeStarts() == .refuse)
        }
    }
}
