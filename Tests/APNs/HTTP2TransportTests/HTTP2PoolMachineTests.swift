import Testing

@testable import HTTP2Transport

struct HTTP2PoolMachineTests {
    /// A generator that results in the longest waits.
    private struct Longest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    private let start = ContinuousClock.now
    private let limits = HTTP2PoolMachine.Limits(
        maxConnections: 3,
        growAfter: .seconds(2),
        stagger: .seconds(5),
        probeInterval: .seconds(1),
        backoff: .init(initial: .seconds(1), max: .seconds(8))
    )

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// `#expect` cannot capture noncopyable values, so the value is evaluated before.
    private func check(
        _ action: HTTP2PoolMachine.Action,
        is expected: HTTP2PoolMachine.Action,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(action == expected, sourceLocation: sourceLocation)
    }

    @Test func `the first connection opens on demand, and only one`() {
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: nil), is: .connect(1))
        check(machine.needed(at: at(9), waitingSince: at(0)), is: .none)
        machine.opened(1)
        check(machine.needed(at: at(9), waitingSince: nil), is: .none)
    }

    @Test func `further connections open one after another while requests wait too long`() {
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: at(0)), is: .connect(1))
        machine.opened(1)
        // The second connection waits for the stagger of 5 seconds, and until a request has waited for 2 seconds.
        check(machine.needed(at: at(1), waitingSince: at(1)), is: .wait(until: at(5)))
        check(machine.needed(at: at(4), waitingSince: at(4)), is: .wait(until: at(6)))
        check(machine.needed(at: at(6), waitingSince: at(4)), is: .connect(2))
        check(machine.needed(at: at(20), waitingSince: at(4)), is: .none)
        machine.opened(2)
        check(machine.needed(at: at(7), waitingSince: at(4)), is: .wait(until: at(11)))
        check(machine.needed(at: at(11), waitingSince: at(4)), is: .connect(3))
        machine.opened(3)
        check(machine.needed(at: at(99), waitingSince: at(4)), is: .none)
    }

    @Test func `one lost connection of several is replaced only when requests wait`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: at(0)), is: .connect(1))
        machine.opened(1)
        machine.responseReceived(on: 1)
        check(machine.needed(at: at(5), waitingSince: at(0)), is: .connect(2))
        machine.opened(2)
        machine.responseReceived(on: 2)
        check(machine.lost(1, at: at(6), waitingSince: nil, using: &generator), is: .none)
        check(machine.lost(1, at: at(6), waitingSince: nil, using: &generator), is: .none)
        check(machine.needed(at: at(10), waitingSince: at(8)), is: .connect(3))
    }

    @Test func `a further connection that fails does not affect the others, and delays the next`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: at(0)), is: .connect(1))
        machine.opened(1)
        check(machine.needed(at: at(5), waitingSince: at(0)), is: .connect(2))
        check(machine.lost(2, at: at(9), waitingSince: at(0), using: &generator), is: .wait(until: at(10)))
        check(machine.needed(at: at(10), waitingSince: at(0)), is: .connect(3))
    }

    @Test func `a good last connection is replaced at once`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: nil), is: .connect(1))
        machine.opened(1)
        machine.responseReceived(on: 1)
        check(machine.lost(1, at: at(5), waitingSince: nil, using: &generator), is: .connect(2))
        machine.opened(2)
        // The second connection has lived long enough, but has received no good response.
        check(machine.lost(2, at: at(20), waitingSince: at(20), using: &generator), is: .wait(until: at(21)))
    }

    @Test func `the wait grows for a peer that closes each connection after one response`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        var now = 0
        for (id, wait) in zip(1..., [5, 5, 5, 8, 8]) {
            check(machine.needed(at: at(now), waitingSince: at(now)), is: .connect(id))
            machine.opened(id)
            machine.responseReceived(on: id)
            // The wait is the longer one of the stagger and the backoff.
            let waits = HTTP2PoolMachine.Action.wait(until: at(now + wait))
            check(machine.lost(id, at: at(now), waitingSince: at(now), using: &generator), is: waits)
            check(machine.needed(at: at(now + wait - 1), waitingSince: nil), is: waits)
            now += wait
        }
    }

    @Test func `a short-lived connection is not replaced while no request waits`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: at(0)), is: .connect(1))
        machine.opened(1)
        machine.responseReceived(on: 1)
        check(machine.lost(1, at: at(4), waitingSince: nil, using: &generator), is: .none)
        check(machine.needed(at: at(4), waitingSince: at(4)), is: .wait(until: at(5)))
    }

    @Test func `an earlier good connection does not reset later failures, and its replacement waits for the backoff`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: at(0)), is: .connect(1))
        machine.opened(1)
        machine.responseReceived(on: 1)
        check(machine.needed(at: at(6), waitingSince: at(0)), is: .connect(2))
        check(machine.lost(2, at: at(20), waitingSince: at(0), using: &generator), is: .wait(until: at(21)))
        check(machine.needed(at: at(21), waitingSince: at(0)), is: .connect(3))
        check(machine.lost(3, at: at(30), waitingSince: at(0), using: &generator), is: .wait(until: at(32)))
        check(machine.lost(1, at: at(30), waitingSince: at(0), using: &generator), is: .wait(until: at(32)))
    }

    @Test(arguments: [
        // Refused at once, and an attempt that hangs until its timeout.
        (0, Array(0..<100)), (5, Array(stride(from: 0, to: 500, by: 5))),
    ])
    func `a peer that cannot be reached is probed once a second, however long it is away`(
        duration: Int,
        starts: [Int]
    ) {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        var now = 0
        var schedule: [Int] = []
        for id in 1...starts.count {
            check(machine.needed(at: at(now), waitingSince: at(0)), is: .connect(id))
            schedule.append(now)
            // Only one at a time.
            check(machine.needed(at: at(now + duration), waitingSince: at(0)), is: .none)
            let action = machine.lost(id, at: at(now + duration), waitingSince: nil, using: &generator)
            check(action, is: .none)
            now += max(1, duration)
            guard duration == 0 else { continue }
            check(machine.needed(at: at(now - 1), waitingSince: at(0)), is: .wait(until: at(now)))
        }
        #expect(schedule == starts)
    }

    @Test func `a connection after an outage is good like the first`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        for second in 0..<60 {
            check(machine.needed(at: at(second), waitingSince: at(0)), is: .connect(second + 1))
            let waits = HTTP2PoolMachine.Action.wait(until: at(second + 1))
            check(machine.lost(second + 1, at: at(second), waitingSince: at(0), using: &generator), is: waits)
        }
        check(machine.needed(at: at(60), waitingSince: at(0)), is: .connect(61))
        machine.opened(61)
        machine.responseReceived(on: 61)
        check(machine.lost(61, at: at(65), waitingSince: nil, using: &generator), is: .connect(62))
    }

    @Test func `no connection opens without demand, and demand does not shorten the wait`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: nil), is: .connect(1))
        check(machine.lost(1, at: at(0), waitingSince: nil, using: &generator), is: .none)
        check(machine.needed(at: at(0), waitingSince: at(0)), is: .wait(until: at(1)))
        check(machine.needed(at: at(1), waitingSince: at(0)), is: .connect(2))
    }

    @Test func `the wait is a random part of its limit`() {
        struct Seeded: RandomNumberGenerator {
            var state: UInt64

            mutating func next() -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return state
            }
        }
        var limits = limits
        limits.stagger = .zero
        let waits = (0..<100).map { seed -> Duration? in
            var generator = Seeded(state: UInt64(seed))
            var machine = HTTP2PoolMachine(limits: limits)
            check(machine.needed(at: at(0), waitingSince: at(0)), is: .connect(1))
            machine.opened(1)
            let action = machine.lost(1, at: at(0), waitingSince: at(0), using: &generator)
            guard case .wait(let until) = action else { return nil }
            return at(0).duration(to: until)
        }
        let tenths = waits.map { $0.map { Int($0 / .milliseconds(100)) } }
        #expect(Set(tenths) == Set(0..<10))
    }

    @Test func `a stopped machine opens no connection`() {
        var generator = Longest()
        var machine = HTTP2PoolMachine(limits: limits)
        check(machine.needed(at: at(0), waitingSince: at(0)), is: .connect(1))
        machine.opened(1)
        machine.responseReceived(on: 1)
        machine.stop()
        check(machine.lost(1, at: at(1), waitingSince: at(0), using: &generator), is: .none)
        check(machine.needed(at: at(2), waitingSince: at(0)), is: .none)
    }
}
