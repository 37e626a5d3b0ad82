import Testing

@testable import HTTP2Transport

/// Transcripts: one line for each event, with what the machine makes of it.
///
/// Times are seconds after the start.
struct ConnectionMachineTests {
    private let start = ContinuousClock.now
    private let limits = HTTP2ConnectionMachine.Limits(
        maxConcurrentStreams: 100,
        pingAfter: .seconds(60),
        pingTimeout: .seconds(10)
    )

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func makeMachine() -> HTTP2ConnectionMachine {
        HTTP2ConnectionMachine(limits: limits, now: start, connectTimeout: .seconds(5))
    }

    private func makeOpenMachine(limit: Int = 100) -> HTTP2ConnectionMachine {
        var machine = makeMachine()
        _ = machine.settingsReceived(maxConcurrentStreams: limit)
        machine.answered()
        return machine
    }

    /// `#expect` takes no values that cannot be copied, so the machine is asked beforehand.
    private func check<Value: Equatable>(
        _ value: Value,
        is expected: Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == expected, sourceLocation: sourceLocation)
    }

    @Test func `nothing starts before the peer's settings`() {
        var machine = makeMachine()
        check(machine.room, is: 0)
        check(machine.settingsReceived(maxConcurrentStreams: 1), is: true)
        check(machine.room, is: 1)
        machine.requestStarted()
        check(machine.room, is: 0)
        machine.answered()
        check(machine.streamClosed(), is: .none)
        check(machine.settingsReceived(maxConcurrentStreams: 1000), is: false)
        check(machine.room, is: 100)
    }

    @Test func `one request is under way until the first answer, whatever the settings allow`() {
        var machine = makeMachine()
        check(machine.settingsReceived(maxConcurrentStreams: 1000), is: true)
        check(machine.room, is: 1)
        machine.requestStarted()
        check(machine.room, is: 0)
        // It was reset, which is no answer.
        check(machine.streamClosed(), is: .none)
        check(machine.room, is: 1)
        machine.requestStarted()
        machine.answered()
        check(machine.room, is: 99)
    }

    @Test func `a limit that falls below what is in flight leaves no room, and no debt`() {
        var machine = makeOpenMachine()
        for _ in 0..<50 { machine.requestStarted() }
        check(machine.settingsReceived(maxConcurrentStreams: 1), is: false)
        check(machine.room, is: 0)
        for _ in 0..<49 { check(machine.streamClosed(), is: .none) }
        check(machine.room, is: 0)
        check(machine.streamClosed(), is: .none)
        check(machine.room, is: 1)
    }

    @Test func `a connection that does not come up is closed at its deadline`() {
        var machine = makeMachine()
        check(machine.nextTimer, is: at(5))
        check(machine.timerFired(at: at(4)), is: .none)
        check(machine.timerFired(at: at(5)), is: .close(.connectTimedOut))
        machine.closed()
        check(machine.nextTimer, is: nil)
        check(machine.timerFired(at: at(6)), is: .none)
    }

    @Test func `silence brings a PING, and silence after it the end`() {
        var machine = makeOpenMachine()
        machine.heard(at: at(10))
        check(machine.nextTimer, is: at(70))
        check(machine.timerFired(at: at(70)), is: .ping)
        check(machine.nextTimer, is: at(80))
        check(machine.timerFired(at: at(79)), is: .none)
        check(machine.timerFired(at: at(80)), is: .close(.silent))
    }

    @Test func `anything that is heard answers the PING`() {
        var machine = makeOpenMachine()
        check(machine.timerFired(at: at(60)), is: .ping)
        machine.heard(at: at(61))
        check(machine.timerFired(at: at(70)), is: .none)
        check(machine.nextTimer, is: at(121))
    }

    @Test func `a request without an answer makes the peer suspect, once`() {
        var machine = makeOpenMachine()
        machine.requestStarted()
        machine.requestStarted()
        check(machine.requestTimedOut(at: at(10)), is: .ping)
        check(machine.requestTimedOut(at: at(11)), is: .none)
        check(machine.timerFired(at: at(20)), is: .close(.silent))
    }

    @Test func `a suspected peer gets no more requests until it is heard`() {
        var machine = makeOpenMachine()
        machine.requestStarted()
        check(machine.requestTimedOut(at: at(10)), is: .ping)
        check(machine.streamClosed(), is: .none)
        check(machine.room, is: 0)
        machine.heard(at: at(11))
        check(machine.room, is: 100)
        // A PING that no request has brought about says nothing against the peer.
        check(machine.timerFired(at: at(71)), is: .ping)
        check(machine.room, is: 100)
        check(machine.requestTimedOut(at: at(72)), is: .none)
        check(machine.room, is: 0)
    }

    @Test func `GOAWAY lets what is in flight end, and starts nothing`() {
        let reason = HTTP2ConnectionEnd.goAway(errorCode: 0, debugData: "")
        var machine = makeOpenMachine()
        machine.requestStarted()
        machine.requestStarted()
        check(machine.drain(reason), is: .none)
        check(machine.drainReason, is: reason)
        check(machine.room, is: 0)
        check(machine.settingsReceived(maxConcurrentStreams: 1000), is: false)
        check(machine.room, is: 0)
        check(machine.drain(.closedHere), is: .none)
        check(machine.streamClosed(), is: .none)
        check(machine.streamClosed(), is: .close(reason))
        machine.closed()
        check(machine.isClosed, is: true)
    }

    @Test func `GOAWAY without anything in flight closes at once, also before the settings`() {
        var open = makeOpenMachine()
        check(open.drain(.closedHere), is: .close(.closedHere))
        var connecting = makeMachine()
        check(connecting.drain(.closedHere), is: .close(.closedHere))
    }

    @Test func `a draining connection that falls silent is closed too`() {
        var machine = makeOpenMachine()
        machine.requestStarted()
        check(machine.drain(.closedHere), is: .none)
        check(machine.timerFired(at: at(60)), is: .ping)
        check(machine.timerFired(at: at(70)), is: .close(.silent))
    }
}
