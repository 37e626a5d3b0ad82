import NIOCore
import Testing

@testable import HTTPServing

@Suite struct ConnectionTimeoutMachineTests {
    private static let limits = ServingLimits(
        headerTimeout: .seconds(10),
        sendTimeout: .seconds(30),
        idleTimeout: .seconds(75)
    )

    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private var machine: ConnectionTimeoutMachine { ConnectionTimeoutMachine(Self.limits, at: at(0)) }

    @Test func `bytes do not extend the header timeout`() {
        var machine = machine
        for second in 0..<10 { machine.bytesReceived(at: at(Int64(second))) }
        #expect(machine.deadline == at(10))
        #expect(machine.deadlineReached(at: at(9)) == .nothing)
        #expect(machine.deadlineReached(at: at(10)) == .respondAndClose)
        // The client has time to read the response.
        #expect(machine.deadline == at(12))
        #expect(machine.deadlineReached(at: at(12)) == .close)
    }

    @Test func `a connection without any bytes is closed without a response`() {
        var machine = machine
        #expect(machine.deadlineReached(at: at(10)) == .close)
    }

    @Test func `a connection has no deadline while a request is in flight, and the idle timeout afterwards`() {
        var machine = machine
        machine.bytesReceived(at: at(1))
        machine.requestStarted()
        #expect(machine.deadline == nil)
        machine.requestStarted()
        machine.requestEnded(at: at(20))
        #expect(machine.deadline == nil)
        machine.requestEnded(at: at(21))
        #expect(machine.deadline == at(96))
        #expect(machine.deadlineReached(at: at(96)) == .close)
    }

    @Test func `the first byte on an idle connection starts the header timeout`() {
        var machine = machine
        machine.requestStarted()
        machine.requestEnded(at: at(20))
        machine.bytesReceived(at: at(60))
        machine.bytesReceived(at: at(65))
        #expect(machine.deadline == at(70))
        #expect(machine.deadlineReached(at: at(70)) == .respondAndClose)
    }

    @Test func `with HTTP/2, bytes do not start the header timeout`() {
        var machine = machine
        machine.bytesReceived(at: at(1))
        machine.http2Negotiated(at: at(2))
        machine.headersProgressed(.complete, at: at(3))
        machine.bytesReceived(at: at(40))
        // After the GOAWAY of the idle timeout the client has time to close.
        #expect(machine.deadline == at(2 + 75 + 5))
        #expect(machine.deadlineReached(at: at(82)) == .close)
    }

    @Test func `with HTTP/2, the preface must arrive in the time for the handshake`() {
        var machine = machine
        machine.bytesReceived(at: at(1))
        machine.http2Negotiated(at: at(2))
        machine.headersProgressed(.pending, at: at(9))
        #expect(machine.deadline == at(10))
        #expect(machine.deadlineReached(at: at(10)) == .close)
    }

    @Test(arguments: [0, 1, 2])
    func `with HTTP/2, headers must arrive within the header timeout, whatever is in flight`(requests: Int) {
        var machine = machine
        machine.http2Negotiated(at: at(2))
        machine.headersProgressed(.complete, at: at(3))
        for _ in 0..<requests { machine.requestStarted() }
        machine.headersProgressed(.began, at: at(20))
        for second in 21..<30 { machine.headersProgressed(.pending, at: at(Int64(second))) }
        #expect(machine.deadline == at(30))
        var slow = machine
        #expect(slow.deadlineReached(at: at(30)) == .close)
        machine.headersProgressed(.complete, at: at(29))
        #expect(machine.deadlineReached(at: at(30)) == .nothing)
    }

    @Test func `a client that does not read is closed, even during a request`() {
        var machine = machine
        machine.requestStarted()
        machine.writabilityChanged(to: false, at: at(5))
        #expect(machine.deadline == at(35))
        machine.writabilityChanged(to: true, at: at(34))
        #expect(machine.deadline == nil)
        machine.writabilityChanged(to: false, at: at(40))
        #expect(machine.deadlineReached(at: at(70)) == .close)
    }

    @Test func `on shutdown an idle connection closes, and a busy one after its responses`() {
        var idle = machine
        idle.shutdownStarted(at: at(5))
        #expect(idle.deadlineReached(at: at(7)) == .close)
        var busy = machine
        busy.requestStarted()
        busy.shutdownStarted(at: at(5))
        #expect(busy.deadline == nil)
        busy.requestEnded(at: at(9))
        #expect(busy.deadlineReached(at: at(11)) == .close)
    }

    @Test func `the body timeout starts with the headers, and the send timeout with the end of the response`() {
        var machine = RequestTimeoutMachine(Self.limits)
        #expect(machine.deadline == nil)
        machine.headReceived(at: at(0))
        #expect(machine.isReadingBody)
        #expect(machine.deadlineReached(at: at(19)) == .nothing)
        #expect(machine.deadlineReached(at: at(20)) == .failBody)
        #expect(machine.deadline == nil && !machine.isReadingBody)
        machine.responseWritten(at: at(21))
        #expect(machine.deadline == at(51))
        machine.responsesFlushed()
        #expect(machine.deadline == nil)
        machine.responseWritten(at: at(60))
        #expect(machine.deadlineReached(at: at(90)) == .close)
    }

    @Test func `an HTTP/2 stream whose window stays closed is closed`() {
        var machine = RequestTimeoutMachine(Self.limits)
        machine.headReceived(at: at(0))
        machine.bodyEnded()
        machine.writabilityChanged(to: false, at: at(1))
        #expect(machine.deadlineReached(at: at(31)) == .close)
    }
}
