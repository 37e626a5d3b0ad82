import Testing

@testable import PostgresClient

@Suite struct PatienceTests {
    private let start = ContinuousClock.now
    private let gracePeriod = Duration.seconds(5)

    @Test func `without a deadline and an interruption it waits for ever`() {
        var patience = Patience(deadline: nil, gracePeriod: gracePeriod)
        #expect(
            patience.next(at: start + .seconds(1_000), isInterrupted: false, requestIsUnderWay: false)
                == .wait(until: nil)
        )
        #expect(patience.reason == nil)
    }

    @Test func `it waits until the deadline and then asks the server to cancel`() {
        let deadline = start + .seconds(3)
        var patience = Patience(deadline: deadline, gracePeriod: gracePeriod)
        #expect(patience.next(at: start, isInterrupted: false, requestIsUnderWay: false) == .wait(until: deadline))
        #expect(patience.next(at: deadline, isInterrupted: false, requestIsUnderWay: false) == .requestCancel)
        #expect(patience.reason == .deadline)
    }

    @Test func `an interruption asks the server at once, then again, and gives up at the end of the grace period`() {
        var patience = Patience(deadline: start + .seconds(60), gracePeriod: gracePeriod)
        let giveUp = start + gracePeriod
        func next(_ after: Duration, underWay: Bool) -> Patience.Step {
            patience.next(at: start + after, isInterrupted: true, requestIsUnderWay: underWay)
        }
        #expect(next(.zero, underWay: false) == .requestCancel)
        #expect(patience.reason == .interruption)
        #expect(next(.milliseconds(1), underWay: true) == .wait(until: giveUp))
        #expect(next(.milliseconds(2), underWay: false) == .wait(until: start + Patience.interval))
        #expect(next(Patience.interval, underWay: false) == .requestCancel)
        #expect(next(Patience.interval, underWay: true) == .wait(until: giveUp))
        #expect(next(gracePeriod, underWay: true) == .giveUp)
        #expect(next(gracePeriod, underWay: false) == .giveUp)
    }

    @Test func `a request to cancel that outlives its exchange has what is left of the same grace period`() {
        var patience = Patience(deadline: start + .seconds(4), gracePeriod: .seconds(1))
        #expect(patience.settlesUntil(start) == start)
        _ = patience.next(at: start + .seconds(4), isInterrupted: false, requestIsUnderWay: false)
        #expect(patience.settlesUntil(start + .milliseconds(4_500)) == start + .seconds(5))
        let end = patience.next(at: start + .seconds(5), isInterrupted: false, requestIsUnderWay: true)
        #expect(end == .giveUp && patience.settlesUntil(start + .seconds(5)) == start + .seconds(5))
    }

    @Test func `a deadline that passes after an interruption changes nothing`() {
        var patience = Patience(deadline: start + .milliseconds(1), gracePeriod: gracePeriod)
        _ = patience.next(at: start, isInterrupted: true, requestIsUnderWay: false)
        _ = patience.next(at: start + .seconds(1), isInterrupted: true, requestIsUnderWay: false)
        #expect(patience.reason == .interruption)
    }
}
