import Testing

@testable import APNsSimulator

@Suite struct PushFaultInjectorTests {
    private let token: PushToken
    private let other: PushToken

    init() {
        var generator = SplitMix64(seed: 1)
        token = PushToken(using: &generator)
        other = PushToken(using: &generator)
    }

    private func injector(_ faults: [Fault], seed: UInt64 = 1) -> PushFaultInjector {
        var injector = PushFaultInjector(seed: seed)
        for fault in faults { #expect(injector.add(fault, at: moment(0)) != nil) }
        return injector
    }

    /// Returns, for each of many pushes, whether a fault hits it.
    private func matches(_ fault: Fault, seed: UInt64, of pushes: Int = 1000, after: [Fault] = []) -> [Bool] {
        var injector = injector(after + [fault], seed: seed)
        return (0..<pushes).map { _ in
            injector.inject(at: .pushes, token: token, topic: topic, now: moment(0)).effect != nil
        }
    }

    @Test func `without faults nothing is injected`() {
        var injector = injector([])
        #expect(
            injector.inject(at: .pushes, token: token, topic: topic, now: moment(0)) == PushFaultInjector.Injection()
        )
    }

    @Test func `a fault hits its token and its topic only`() {
        let fault = Fault(effect: .stall, token: token, topic: topic)
        var injector = injector([fault])
        #expect(injector.inject(at: .pushes, token: other, topic: topic, now: moment(0)).effect == nil)
        #expect(injector.inject(at: .pushes, token: nil, topic: topic, now: moment(0)).effect == nil)
        #expect(injector.inject(at: .pushes, token: token, topic: "other", now: moment(0)).effect == nil)
        #expect(injector.inject(at: .pushes, token: token, topic: topic, now: moment(0)).effect == .stall)
        #expect(injector.entries.map(\.matchedPushes) == [1])
    }

    @Test func `a fault hits its endpoint only`() {
        var injector = injector([Fault(effect: .stall, endpoint: .channels), Fault(effect: .lostResponse)])
        #expect(injector.inject(at: .pushes, token: token, topic: topic, now: moment(0)).effect == .lostResponse)
        #expect(injector.inject(at: .channels, token: nil, topic: topic, now: moment(0)).effect == .stall)
        #expect(injector.entries.map(\.matchedPushes) == [1, 1])
    }

    @Test func `a fault is over after its number of pushes or its time`() {
        var injector = injector([Fault(effect: .stall, pushes: 2), Fault(effect: .lostResponse, seconds: 10)])
        let effects = (0..<3).map { _ in injector.inject(at: .pushes, token: token, topic: topic, now: moment(9)).effect
        }
        #expect(effects == [.stall, .stall, .lostResponse])
        #expect(injector.inject(at: .pushes, token: token, topic: topic, now: moment(10)).effect == nil)
        #expect(injector.entries.map { $0.isOver(at: moment(10)) } == [true, true])
        #expect(injector.entries.map { $0.isOver(at: moment(9)) } == [true, false])
    }

    @Test func `faults that are over make room for others`() {
        var injector = injector(
            Array(repeating: Fault(effect: .stall, seconds: 10), count: PushFaultInjector.maxFaults - 1)
        )
        #expect(injector.add(Fault(effect: .lostResponse), at: moment(0)) != nil)
        #expect(injector.add(Fault(effect: .stall), at: moment(9)) == nil)
        #expect(injector.add(Fault(effect: .stall), at: moment(10))?.number == PushFaultInjector.maxFaults + 1)
        #expect(injector.entries.map(\.number) == [PushFaultInjector.maxFaults, PushFaultInjector.maxFaults + 1])
    }

    @Test func `latencies add up, and only the earliest of the other faults applies`() {
        var injector = injector([
            Fault(effect: .latency(.constant(milliseconds: 30))), Fault(effect: .oneStream),
            Fault(effect: .rejection(.tooManyRequests)), Fault(effect: .stall),
            Fault(effect: .latency(.constant(milliseconds: 12))),
        ])
        let injection = injector.inject(at: .pushes, token: token, topic: topic, now: moment(3))
        #expect(injection.delay == .milliseconds(42) && injection.isLimitedToOneStream)
        #expect(injection.effect == .rejection(.tooManyRequests) && injection.since == moment(0))
        #expect(injector.entries.map(\.matchedPushes) == [1, 1, 1, 0, 1])
    }

    @Test func `equal seeds give equal injections, whatever other faults there are`() {
        let fault = Fault(effect: .stall, probability: 0.25)
        let first = matches(fault, seed: 7)
        #expect(first == matches(fault, seed: 7))
        #expect(first != matches(fault, seed: 8))
        #expect((200...300).contains(first.count { $0 }))
        // The number is part of the generator's seed.
        let second = matches(fault, seed: 7, after: [Fault(effect: .oneStream)])
        #expect(second != first)
        #expect(second == matches(fault, seed: 7, after: [Fault(effect: .latency(.uniform(1...9)), probability: 0.5)]))
    }

    @Test(arguments: [Latency.uniform(10...200), .exponential(meanMilliseconds: 100), .constant(milliseconds: 105)])
    func `latencies have the right mean and stay within their bounds`(latency: Latency) {
        var generator = SplitMix64(seed: 3)
        let all = (0..<10_000).map { _ in latency.sample(using: &generator) }
        let mean = all.reduce(.zero, +) / all.count
        #expect((Duration.milliseconds(97)...Duration.milliseconds(108)).contains(mean))
        let bounds: ClosedRange<Duration> =
            switch latency {
            case .uniform(let range): .milliseconds(range.lowerBound)...Duration.milliseconds(range.upperBound)
            case .constant(let milliseconds): .milliseconds(milliseconds)...Duration.milliseconds(milliseconds)
            case .exponential: .zero...Duration.milliseconds(Latency.maxMilliseconds)
            }
        #expect(all.allSatisfy(bounds.contains))
    }

    @Test func `the number of faults is limited, and each can be removed`() {
        var injector = injector(Array(repeating: Fault(effect: .oneStream), count: PushFaultInjector.maxFaults))
        #expect(injector.add(Fault(effect: .stall), at: moment(0)) == nil)
        let removed = [injector.remove(1), injector.remove(1)]
        #expect(removed == [true, false])
        let added = injector.add(Fault(effect: .stall), at: moment(0))
        #expect(added?.number == PushFaultInjector.maxFaults + 1)
        injector.removeAll()
        #expect(injector.entries.isEmpty)
    }
}
