import Testing

@testable import PostgresClient

@Suite struct CancellationPolicyTests {
    private let start = ContinuousClock.now
    private let gracePeriod = Duration.seconds(5)

    @Test func `without deadline and cancellation it waits indefinitely`() {
        var cancellationPolicy = CancellationPolicy(deadline: nil, gracePeriod: gracePeriod)
        #expect(
            cancellationPolicy.next(at: start + .seconds(1_000), isTaskCancelled: false, hasRequestInFlight: false)
                == .wait(until: nil)
        )
        #expect(cancellationPolicy.reason == nil)
    }

    @Test func `it waits until the deadline and then requests cancellation`() {
        let deadline = start + .seconds(3)
        var cancellationPolicy = CancellationPolicy(deadline: deadline, gracePeriod: gracePeriod)
        #expect(
            cancellationPolicy.next(at: start, isTaskCancelled: false, hasRequestInFlight: false)
                == .wait(until: deadline)
        )
        #expect(
            cancellationPolicy.next(at: deadline, isTaskCancelled: false, hasRequestInFlight: false) == .requestCancel
        )
        #expect(cancellationPolicy.reason == .deadline)
    }

    @Test func `a cancelled task requests cancellation at once and repeatedly, and gives up after the grace period`() {
        var cancellationPolicy = CancellationPolicy(deadline: start + .seconds(60), gracePeriod: gracePeriod)
        let giveUp = start + gracePeriod
        func next(_ after: Duration, inFlight: Bool) -> CancellationPolicy.Step {
            cancellationPolicy.next(at: start + after, isTaskCancelled: true, hasRequestInFlight: inFlight)
        }
        #expect(next(.zero, inFlight: false) == .requestCancel)
        #expect(cancellationPolicy.reason == .taskCancelled)
        #expect(next(.milliseconds(1), inFlight: true) == .wait(until: giveUp))
        #expect(next(.milliseconds(2), inFlight: false) == .wait(until: start + CancellationPolicy.interval))
        #expect(next(CancellationPolicy.interval, inFlight: false) == .requestCancel)
        #expect(next(CancellationPolicy.interval, inFlight: true) == .wait(until: giveUp))
        #expect(next(gracePeriod, inFlight: true) == .giveUp)
        #expect(next(gracePeriod, inFlight: false) == .giveUp)
    }

    @Test func `a cancellation request that outlives its exchange shares the grace period`() {
        var cancellationPolicy = CancellationPolicy(deadline: start + .seconds(4), gracePeriod: .seconds(1))
        #expect(cancellationPolicy.cancellationDeadline(at: start) == start)
        _ = cancellationPolicy.next(at: start + .seconds(4), isTaskCancelled: false, hasRequestInFlight: false)
        #expect(cancellationPolicy.cancellationDeadline(at: start + .milliseconds(4_500)) == start + .seconds(5))
        let end = cancellationPolicy.next(at: start + .seconds(5), isTaskCancelled: false, hasRequestInFlight: true)
        #expect(
            end == .giveUp && cancellationPolicy.cancellationDeadline(at: start + .seconds(5)) == start + .seconds(5)
        )
    }

    @Test func `a deadline that passes after a task's cancellation changes nothing`() {
        var cancellationPolicy = CancellationPolicy(deadline: start + .milliseconds(1), gracePeriod: gracePeriod)
        _ = cancellationPolicy.next(at: start, isTaskCancelled: true, hasRequestInFlight: false)
        _ = cancellationPolicy.next(at: start + .seconds(1), isTaskCancelled: true, hasRequestInFlight: false)
        #expect(cancellationPolicy.reason == .taskCancelled)
    }
}
