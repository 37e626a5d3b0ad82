import NIOCore
import Testing

@testable import PartyAPI

@Suite struct ConnectionMachineTests {
    private static let limits = ServingLimits(
        headerTimeout: .seconds(10),
        answerTimeout: .seconds(30),
        idleTimeout: .seconds(75)
    )

    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private var machine: ConnectionMachine { ConnectionMachine(Self.limits, at: at(0)) }

    @Test func `bytes do not put off the end of the headers`() {
        var machine = machine
        for second in 0..<10 { machine.bytesArrived(at: at(Int64(second))) }
        #expect(machine.deadline == at(10))
        #expect(machine.expire(at: at(9)) == .nothing)
        #expect(machine.expire(at: at(10)) == .refuse)
        // What was said is to be read.
        #expect(machine.deadline == at(12))
        #expect(machine.expire(at: at(12)) == .close)
    }

    @Test func `who never says anything is closed without a word`() {
        var machine = machine
        #expect(machine.expire(at: at(10)) == .close)
    }

    @Test func `a request has no deadline of the connection, and silence after it has`() {
        var machine = machine
        machine.bytesArrived(at: at(1))
        machine.requestBegan()
        #expect(machine.deadline == nil)
        machine.requestBegan()
        machine.requestEnded(at: at(20))
        #expect(machine.deadline == nil)
        machine.requestEnded(at: at(21))
        #expect(machine.deadline == at(96))
        #expect(machine.expire(at: at(96)) == .close)
    }

    @Test func `the first byte after a silence begins the time for headers`() {
        var machine = machine
        machine.requestBegan()
        machine.requestEnded(at: at(20))
        machine.bytesArrived(at: at(60))
        machine.bytesArrived(at: at(65))
        #expect(machine.deadline == at(70))
        #expect(machine.expire(at: at(70)) == .refuse)
    }

    @Test func `with HTTP/2, bytes are not the beginning of a request`() {
        var machine = machine
        machine.bytesArrived(at: at(1))
        machine.multiplexed(at: at(2))
        machine.bytesArrived(at: at(40))
        // When it was told to go, it gets a while to do so.
        #expect(machine.deadline == at(2 + 75 + 5))
        #expect(machine.expire(at: at(82)) == .close)
    }

    @Test func `a client that takes nothing is closed, in the middle of a request too`() {
        var machine = machine
        machine.requestBegan()
        machine.writability(is: false, at: at(5))
        #expect(machine.deadline == at(35))
        machine.writability(is: true, at: at(34))
        #expect(machine.deadline == nil)
        machine.writability(is: false, at: at(40))
        #expect(machine.expire(at: at(70)) == .close)
    }

    @Test func `who asks for nothing is let go when the server stops, and the others when they are answered`() {
        var idle = machine
        idle.stop(at: at(5))
        #expect(idle.expire(at: at(7)) == .close)
        var busy = machine
        busy.requestBegan()
        busy.stop(at: at(5))
        #expect(busy.deadline == nil)
        busy.requestEnded(at: at(9))
        #expect(busy.expire(at: at(11)) == .close)
    }

    @Test func `a body has its time from the headers on, and an answer from its end`() {
        var machine = RequestMachine(Self.limits)
        #expect(machine.deadline == nil)
        machine.headArrived(at: at(0))
        #expect(machine.isReading)
        #expect(machine.expire(at: at(19)) == .nothing)
        #expect(machine.expire(at: at(20)) == .failBody)
        #expect(machine.deadline == nil && !machine.isReading)
        machine.answerWritten(at: at(21))
        #expect(machine.deadline == at(51))
        machine.answerTaken()
        #expect(machine.deadline == nil)
        machine.answerWritten(at: at(60))
        #expect(machine.expire(at: at(90)) == .close)
    }

    @Test func `a stream of HTTP/2 whose window stays closed is closed`() {
        var machine = RequestMachine(Self.limits)
        machine.headArrived(at: at(0))
        machine.bodyEnded()
        machine.writability(is: false, at: at(1))
        #expect(machine.expire(at: at(31)) == .close)
    }
}
