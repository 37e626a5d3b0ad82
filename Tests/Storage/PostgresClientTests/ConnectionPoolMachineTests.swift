import Testing

@testable import PostgresClient

/// Transcripts with one line per event and its expected action.
///
/// Letters stand for connections.
@Suite struct ConnectionPoolMachineTests {
    private typealias Machine = ConnectionPoolMachine<String>
    private let start = ContinuousClock.now

    /// Requests a slot and describes the action.
    private func request(_ machine: inout Machine) -> String {
        switch machine.request() {
        case .take(.idle(let connection)): "take \(connection)"
        case .take(.empty): "connect"
        case .wait(let ticket): "wait \(ticket.number)"
        case .refuse: "refuse"
        }
    }

    /// Returns a slot and describes the action.
    private func release(_ connection: String?, _ machine: inout Machine, after: Duration = .zero) -> String {
        switch machine.release(connection, at: start + after) {
        case .nothing: "nothing"
        case .call(let ticket, .idle(let connection)): "call \(ticket.number) for \(connection)"
        case .call(let ticket, .empty): "call \(ticket.number) to connect"
        case .drained: "drained"
        }
    }

    private func abandon(_ ticket: Machine.Ticket, _ machine: inout Machine) -> Bool {
        machine.abandon(ticket)
    }

    @Test func `slots are granted up to the limit, then requests wait in order`() {
        var machine = Machine(limit: 2)
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "wait 1")
        #expect(request(&machine) == "wait 2")
        #expect(release("a", &machine) == "call 1 for a")
        #expect(release(nil, &machine) == "call 2 to connect")
        #expect(release("a", &machine) == "nothing")
        #expect(release("c", &machine) == "nothing")
    }

    @Test func `the most recently used connection is used first`() {
        var machine = Machine(limit: 3)
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "connect")
        #expect(release("a", &machine) == "nothing")
        #expect(release("b", &machine) == "nothing")
        #expect(request(&machine) == "take b")
        #expect(request(&machine) == "take a")
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "wait 1")
    }

    @Test func `a broken connection frees its slot`() {
        var machine = Machine(limit: 1)
        #expect(request(&machine) == "connect")
        #expect(release(nil, &machine) == "nothing")
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "wait 1")
    }

    @Test func `a withdrawn request is not called`() {
        var machine = Machine(limit: 1)
        #expect(request(&machine) == "connect")
        guard case .wait(let first) = machine.request(), case .wait(let second) = machine.request() else {
            Issue.record("both must wait")
            return
        }
        #expect(abandon(first, &machine))
        #expect(!abandon(first, &machine))
        #expect(release("a", &machine) == "call \(second.number) for a")
        #expect(!abandon(second, &machine))
    }

    @Test func `only connections idle for long are taken to be checked, and count as in use`() {
        var machine = Machine(limit: 2)
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "connect")
        #expect(release("a", &machine, after: .seconds(1)) == "nothing")
        #expect(release("b", &machine, after: .seconds(9)) == "nothing")
        #expect(machine.takeIdle(since: start + .seconds(5)) == ["a"])
        #expect(request(&machine) == "take b")
        #expect(request(&machine) == "wait 1")
        #expect(release("a", &machine) == "call 1 for a")
    }

    @Test func `a closed pool refuses requests, drops idle connections and reports when it is drained`() {
        var machine = Machine(limit: 2)
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "connect")
        #expect(request(&machine) == "wait 1")
        let (refused, isDrained) = machine.close()
        #expect(refused.map(\.number) == [1])
        #expect(!isDrained)
        #expect(request(&machine) == "refuse")
        #expect(release("a", &machine) == "nothing")
        #expect(release("b", &machine) == "drained")
        #expect(machine.close().isDrained)
        #expect(machine.takeIdle(since: start + .seconds(100)) == [])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `in any sequence of events, slots are limited and requests are served in order`(seed: UInt64) {
        var random = Steps(state: seed)
        let limit = 3
        var machine = Machine(limit: limit)
        var inUse = 0
        var waiting: [Int] = []
        for step in 0..<500 {
            switch random.next(below: 4) {
            case 0, 1:
                switch machine.request() {
                case .take:
                    #expect(waiting.isEmpty)
                    inUse += 1
                case .wait(let ticket):
                    #expect(inUse == limit)
                    waiting.append(ticket.number)
                case .refuse: Issue.record("refused at step \(step)")
                }
            case 2 where inUse > 0:
                switch machine.release(random.next(below: 3) == 0 ? nil : "x", at: start) {
                case .call(let ticket, _): #expect(ticket.number == waiting.removeFirst())
                case .nothing:
                    #expect(waiting.isEmpty)
                    inUse -= 1
                case .drained: Issue.record("drained at step \(step)")
                }
            case 3 where !waiting.isEmpty:
                let index = random.next(below: waiting.count)
                #expect(abandon(.init(number: waiting.remove(at: index)), &machine))
            default:
                continue
            }
            #expect(inUse <= limit)
        }
    }
}

/// A generator with the same steps for a seed on every platform (SplitMix64).
private struct Steps {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
