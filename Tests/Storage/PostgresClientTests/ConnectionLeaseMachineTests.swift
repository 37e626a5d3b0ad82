import Testing

@testable import PostgresClient

@Suite struct ConnectionLeaseMachineTests {
    private let error = PostgresError.connectionLost(statement: "s", reason: "gone")

    @Test func `BEGIN is sent once, in front of the first exchange`() {
        var lease = ConnectionLeaseMachine(isTransaction: true)
        #expect(lease.bodyReturned() == .nothing)
        #expect(lease.exchangeStarts() == .withBegin)
        lease.exchangeEnded(status: .inTransaction, error: nil, commit: nil)
        #expect(lease.exchangeStarts() == .plain)
        lease.exchangeEnded(status: .inTransaction, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .commit)
    }

    @Test func `after a commit with the last statements, nothing is due and nothing may be sent`() {
        var lease = ConnectionLeaseMachine(isTransaction: true)
        #expect(lease.exchangeStarts() == .withBegin)
        lease.exchangeEnded(status: .idle, error: nil, commit: .committed)
        #expect(lease.exchangeStarts() == .refuse)
        #expect(lease.bodyReturned() == .nothing)
        #expect(lease.bodyThrew() == .nothing)
    }

    @Test func `an open transaction is rolled back when the body throws`() {
        for status in [ConnectionLeaseMachine.Status.inTransaction, .inFailedTransaction] {
            var lease = ConnectionLeaseMachine(isTransaction: true)
            _ = lease.exchangeStarts()
            lease.exchangeEnded(status: status, error: nil, commit: nil)
            #expect(lease.bodyThrew() == .rollBack(reporting: nil))
        }
    }

    @Test func `the first of several ignored errors is reported`() {
        var lease = ConnectionLeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .inFailedTransaction, error: error, commit: nil)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .inFailedTransaction, error: .closed, commit: nil)
        #expect(lease.bodyReturned() == .rollBack(reporting: error))
    }

    @Test func `an ignored commit failure or lost connection is reported`() {
        for status in [ConnectionLeaseMachine.Status.idle, .broken] {
            var lease = ConnectionLeaseMachine(isTransaction: true)
            _ = lease.exchangeStarts()
            lease.exchangeEnded(status: status, error: error, commit: nil)
            #expect(lease.bodyReturned() == .fail(error))
            #expect(lease.bodyThrew() == .nothing)
        }
    }

    @Test func `a COMMIT that the server turned into a rollback without an error is reported`() {
        var lease = ConnectionLeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .inFailedTransaction, error: error, commit: nil)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .idle, error: nil, commit: .rolledBack)
        #expect(lease.bodyReturned() == .fail(error))
    }

    @Test func `a COMMIT that succeeds after a rollback to a savepoint counts as success`() {
        var lease = ConnectionLeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .inFailedTransaction, error: error, commit: nil)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .idle, error: nil, commit: .committed)
        #expect(lease.bodyReturned() == .nothing)
    }

    @Test func `an error undone by a savepoint is not reported`() {
        var lease = ConnectionLeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .inFailedTransaction, error: error, commit: nil)
        lease.exchangeEnded(status: .inTransaction, error: nil, commit: nil)
        var failing = lease
        failing.exchangeEnded(status: .inFailedTransaction, error: .closed, commit: nil)
        #expect(failing.bodyReturned() == .rollBack(reporting: .closed))
        // The body sends a COMMIT of its own.
        lease.exchangeEnded(status: .idle, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .nothing)
    }

    @Test func `nothing is due after the body has ended its transaction itself`() {
        var lease = ConnectionLeaseMachine(isTransaction: true)
        _ = lease.exchangeStarts()
        lease.exchangeEnded(status: .idle, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .nothing)
    }

    @Test func `a lease without a transaction requires ROLLBACK only for a transaction left open`() {
        var lease = ConnectionLeaseMachine(isTransaction: false)
        #expect(lease.exchangeStarts() == .plain)
        lease.exchangeEnded(status: .idle, error: error, commit: nil)
        #expect(lease.bodyReturned() == .nothing)
        #expect(lease.exchangeStarts() == .plain)
        lease.exchangeEnded(status: .inTransaction, error: nil, commit: nil)
        #expect(lease.bodyReturned() == .rollBack(reporting: nil))
    }

    @Test func `an ended lease refuses further exchanges`() {
        for isTransaction in [false, true] {
            var lease = ConnectionLeaseMachine(isTransaction: isTransaction)
            lease.end()
            #expect(lease.exchangeStarts() == .refuse)
        }
    }
}
