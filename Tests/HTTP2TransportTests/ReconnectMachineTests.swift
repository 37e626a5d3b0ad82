import Testing

@testable import HTTP2Transport

struct ReconnectMachineTests {
    /// Always as long as may be.
    private struct Longest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    private let start = ContinuousClock.now
    private let backoff = ReconnectMachine.Backoff(first: .seconds(1), longest: .seconds(8))

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// `#expect` takes no values that cannot be copied, so the machine is asked beforehand.
    private func check(
        _ action: ReconnectMachine.Action,
        is expected: ReconnectMachine.Action,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(action == expected, sourceLocation: sourceLocation)
    }

    @Test func `the first connection is opened when it is needed, and only one`() {
        var machine = ReconnectMachine(backoff: backoff)
        check(machine.needed(at: at(0)), is: .connect)
        check(machine.needed(at: at(0)), is: .none)
        machine.opened()
        check(machine.needed(at: at(0)), is: .none)
    }

    @Test func `a connection that has served is replaced at once`() {
        var generator = Longest()
        var machine = ReconnectMachine(backoff: backoff)
        check(machine.needed(at: at(0)), is: .connect)
        machine.opened()
        machine.served()
        check(machine.lost(at: at(9), isNeeded: false, using: &generator), is: .connect)
        machine.opened()
        // The new one has not served yet: a peer that sends everyone away is not asked again and again.
        check(machine.lost(at: at(10), isNeeded: true, using: &generator), is: .wait(until: at(11)))
    }

    @Test func `failures double the wait up to its bound, and an answer forgets them`() {
        var generator = Longest()
        var machine = ReconnectMachine(backoff: backoff)
        check(machine.needed(at: at(0)), is: .connect)
        var now = 0
        for wait in [1, 2, 4, 8, 8, 8] {
            check(machine.lost(at: at(now), isNeeded: true, using: &generator), is: .wait(until: at(now + wait)))
            check(machine.needed(at: at(now)), is: .wait(until: at(now + wait)))
            now += wait
            check(machine.needed(at: at(now)), is: .connect)
        }
        machine.opened()
        machine.served()
        check(machine.lost(at: at(now), isNeeded: true, using: &generator), is: .connect)
        check(machine.lost(at: at(now), isNeeded: true, using: &generator), is: .wait(until: at(now + 1)))
    }

    @Test func `nothing is opened that nobody needs, and need does not shorten the wait`() {
        var generator = Longest()
        var machine = ReconnectMachine(backoff: backoff)
        check(machine.needed(at: at(0)), is: .connect)
        check(machine.lost(at: at(1), isNeeded: false, using: &generator), is: .none)
        check(machine.needed(at: at(1)), is: .wait(until: at(2)))
        check(machine.needed(at: at(2)), is: .connect)
    }

    @Test(arguments: 0..<100)
    func `the wait is any part of its bound`(seed: Int) {
        struct Seeded: RandomNumberGenerator {
            var state: UInt64

            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state
            }
        }
        var generator = Seeded(state: UInt64(seed))
        var machine = ReconnectMachine(backoff: backoff)
        check(machine.needed(at: at(0)), is: .connect)
        guard case .wait(let until) = machine.lost(at: at(0), isNeeded: true, using: &generator) else {
            Issue.record("a failure waits")
            return
        }
        #expect(until > at(0))
        #expect(until <= at(1))
    }

    @Test func `a stopped machine opens nothing`() {
        var generator = Longest()
        var machine = ReconnectMachine(backoff: backoff)
        check(machine.needed(at: at(0)), is: .connect)
        machine.stop()
        check(machine.lost(at: at(1), isNeeded: true, using: &generator), is: .none)
        check(machine.needed(at: at(2)), is: .none)
    }
}
