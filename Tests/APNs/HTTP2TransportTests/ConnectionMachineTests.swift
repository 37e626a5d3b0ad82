import Testing

@testable import HTTP2Transport

/// Transcripts: one line for each event, with the action of the machine.
///
/// Times are in seconds from the start.
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
        machine.responseReceived()
        return machine
    }

    /// `#expect` cannot capture noncopyable values, so the value is evaluated before.
    private func check<Value: Equatable>(
        _ value: Value,
        is expected: Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == expected, sourceLocation: sourceLocation)
    }

    @Test func `no request starts before the peer's SETTINGS`() {
        var machine = makeMachine()
        check(machine.availableStreams, is: 0)
        check(machine.settingsReceived(maxConcurrentStreams: 1), is: true)
        check(machine.availableStreams, is: 1)
        machine.requestStarted()
        check(machine.availableStreams, is: 0)
        machine.responseReceived()
        check(machine.streamClosed(), is: .none)
        check(machine.settingsReceived(maxConcurrentStreams: 1000), is: false)
        check(machine.availableStreams, is: 100)
    }

    @Test func `one request at a time is in flight until the first response, whatever the SETTINGS allow`() {
        var machine = makeMachine()
        check(machine.settingsReceived(maxConcurrentStreams: 1000), is: true)
        check(machine.availableStreams, is: 1)
        machine.requestStarted()
        check(machine.availableStreams, is: 0)
        // A reset is not a response.
        check(machine.streamClosed(), is: .none)
        check(machine.availableStreams, is: 1)
        machine.requestStarted()
        machine.responseReceived()
        check(machine.availableStreams, is: 99)
    }

    @Test func `a limit that falls below the streams in flight leaves none available until enough have closed`() {
        var machine = makeOpenMachine()
        for _ in 0..<50 { machine.requestStarted() }
        check(machine.settingsReceived(maxConcurrentStreams: 1), is: false)
        check(machine.availableStreams, is: 0)
        for _ in 0..<49 { check(machine.streamClosed(), is: .none) }
        check(machine.availableStreams, is: 0)
        check(machine.streamClosed(), is: .none)
        check(machine.availableStreams, is: 1)
    }

    @Test func `a connection that is not established in time is closed`() {
        var machine = makeMachine()
        check(machine.nextTimer, is: at(5))
        check(machine.timerFired(at: at(4)), is: .none)
        check(machine.timerFired(at: at(5)), is: .close(.connectTimedOut))
        machine.closed()
        check(machine.nextTimer, is: nil)
        check(machine.timerFired(at: at(6)), is: .none)
    }

    @Test func `an idle connection is pinged, and closed without a response`() {
        var machine = makeOpenMachine()
        machine.bytesReceived(at: at(10))
        check(machine.nextTimer, is: at(70))
        check(machine.timerFired(at: at(70)), is: .ping)
        check(machine.nextTimer, is: at(80))
        check(machine.timerFired(at: at(79)), is: .none)
        check(machine.timerFired(at: at(80)), is: .close(.unresponsive))
    }

    @Test func `any bytes count as the response to a PING`() {
        var machine = makeOpenMachine()
        check(machine.timerFired(at: at(60)), is: .ping)
        machine.bytesReceived(at: at(61))
        check(machine.timerFired(at: at(70)), is: .none)
        check(machine.nextTimer, is: at(121))
    }

    @Test func `timeouts of several requests send one PING`() {
        var machine = makeOpenMachine()
        machine.requestStarted()
        machine.requestStarted()
        check(machine.requestTimedOut(at: at(10)), is: .ping)
        check(machine.requestTimedOut(at: at(11)), is: .none)
        check(machine.timerFired(at: at(20)), is: .close(.unresponsive))
    }

    @Test func `after a timeout no request starts until bytes arrive`() {
        var machine = makeOpenMachine()
        machine.requestStarted()
        check(machine.requestTimedOut(at: at(10)), is: .ping)
        check(machine.streamClosed(), is: .none)
        check(machine.availableStreams, is: 0)
        machine.bytesReceived(at: at(11))
        check(machine.availableStreams, is: 100)
        // A PING without a timeout does not block requests.
        check(machine.timerFired(at: at(71)), is: .ping)
        check(machine.availableStreams, is: 100)
        check(machine.requestTimedOut(at: at(72)), is: .none)
        check(machine.availableStreams, is: 0)
    }

    @Test func `after GOAWAY requests in flight finish and no request starts`() {
        let reason = HTTP2ConnectionEnd.goAway(errorCode: 0, debugData: "")
        var machine = makeOpenMachine()
        machine.requestStarted()
        machine.requestStarted()
        check(machine.drain(reason), is: .none)
        check(machine.drainReason, is: reason)
        check(machine.availableStreams, is: 0)
        check(machine.settingsReceived(maxConcurrentStreams: 1000), is: false)
        check(machine.availableStreams, is: 0)
        check(machine.drain(.closedLocally), is: .none)
        check(machine.streamClosed(), is: .none)
        check(machine.streamClosed(), is: .close(reason))
        machine.closed()
        check(machine.isClosed, is: true)
    }

    @Test func `GOAWAY without requests in flight closes the connection at once, even before the SETTINGS`() {
        var open = makeOpenMachine()
        check(open.drain(.closedLocally), is: .close(.closedLocally))
        var connecting = makeMachine()
        check(connecting.drain(.closedLocally), is: .close(.closedLocally))
    }

    @Test func `an unresponsive draining connection is closed`() {
        var machine = makeOpenMachine()
        machine.requestStarted()
        check(machine.drain(.closedLocally), is: .none)
        check(machine.timerFired(at: at(60)), is: .ping)
        check(machine.timerFired(at: at(70)), is: .close(.unresponsive))
    }
}
