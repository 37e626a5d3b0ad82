import Testing

@testable import APNsSimulator

@Suite struct FaultBookTests {
    private let token: PushToken
    private let other: PushToken

    init() {
        var generator = SeededGenerator(seed: 1)
        token = PushToken(using: &generator)
        other = PushToken(using: &generator)
    }

    private func book(_ faults: [Fault], seed: UInt64 = 1) -> FaultBook {
        var book = FaultBook(seed: seed)
        for fault in faults { #expect(book.add(fault, at: moment(0)) != nil) }
        return book
    }

    /// Which of so many pushes are struck.
    private func strikes(_ fault: Fault, seed: UInt64, of pushes: Int = 1000, after: [Fault] = []) -> [Bool] {
        var book = book(after + [fault], seed: seed)
        return (0..<pushes).map { _ in book.strike(.pushes, token: token, topic: topic, at: moment(0)).deed != nil }
    }

    @Test func `without faults nothing goes wrong`() {
        var book = book([])
        #expect(book.strike(.pushes, token: token, topic: topic, at: moment(0)) == FaultBook.Strike())
    }

    @Test func `a fault strikes its token and its topic only`() {
        let fault = Fault(deed: .stall, token: token, topic: topic)
        var book = book([fault])
        #expect(book.strike(.pushes, token: other, topic: topic, at: moment(0)).deed == nil)
        #expect(book.strike(.pushes, token: nil, topic: topic, at: moment(0)).deed == nil)
        #expect(book.strike(.pushes, token: token, topic: "other", at: moment(0)).deed == nil)
        #expect(book.strike(.pushes, token: token, topic: topic, at: moment(0)).deed == .stall)
        #expect(book.entries.map(\.struck) == [1])
    }

    @Test func `a fault strikes at its door only`() {
        var book = book([Fault(deed: .stall, door: .channels), Fault(deed: .lostAnswer)])
        #expect(book.strike(.pushes, token: token, topic: topic, at: moment(0)).deed == .lostAnswer)
        #expect(book.strike(.channels, token: nil, topic: topic, at: moment(0)).deed == .stall)
        #expect(book.entries.map(\.struck) == [1, 1])
    }

    @Test func `a fault is over after so many pushes, or after its time`() {
        var book = book([Fault(deed: .stall, pushes: 2), Fault(deed: .lostAnswer, seconds: 10)])
        let deeds = (0..<3).map { _ in book.strike(.pushes, token: token, topic: topic, at: moment(9)).deed }
        #expect(deeds == [.stall, .stall, .lostAnswer])
        #expect(book.strike(.pushes, token: token, topic: topic, at: moment(10)).deed == nil)
        #expect(book.entries.map { $0.isOver(at: moment(10)) } == [true, true])
        #expect(book.entries.map { $0.isOver(at: moment(9)) } == [true, false])
    }

    @Test func `faults that are over make room for others`() {
        var book = book(Array(repeating: Fault(deed: .stall, seconds: 10), count: FaultBook.maximumFaults - 1))
        #expect(book.add(Fault(deed: .lostAnswer), at: moment(0)) != nil)
        #expect(book.add(Fault(deed: .stall), at: moment(9)) == nil)
        #expect(book.add(Fault(deed: .stall), at: moment(10))?.number == FaultBook.maximumFaults + 1)
        #expect(book.entries.map(\.number) == [FaultBook.maximumFaults, FaultBook.maximumFaults + 1])
    }

    @Test func `latencies add up, and of the rest the earliest fault strikes alone`() {
        var book = book([
            Fault(deed: .latency(.constant(milliseconds: 30))), Fault(deed: .oneStream),
            Fault(deed: .refusal(.tooManyRequests)), Fault(deed: .stall),
            Fault(deed: .latency(.constant(milliseconds: 12))),
        ])
        let strike = book.strike(.pushes, token: token, topic: topic, at: moment(3))
        #expect(strike.delay == .milliseconds(42) && strike.isLimitedToOneStream)
        #expect(strike.deed == .refusal(.tooManyRequests) && strike.since == moment(0))
        #expect(book.entries.map(\.struck) == [1, 1, 1, 0, 1])
    }

    @Test func `a seed repeats which pushes are struck, whatever other faults there are`() {
        let fault = Fault(deed: .stall, probability: 0.25)
        let first = strikes(fault, seed: 7)
        #expect(first == strikes(fault, seed: 7))
        #expect(first != strikes(fault, seed: 8))
        #expect((200...300).contains(first.count { $0 }))
        // Its number is part of what it draws from.
        let second = strikes(fault, seed: 7, after: [Fault(deed: .oneStream)])
        #expect(second != first)
        #expect(second == strikes(fault, seed: 7, after: [Fault(deed: .latency(.uniform(1...9)), probability: 0.5)]))
    }

    @Test(arguments: [Latency.uniform(10...200), .exponential(meanMilliseconds: 100), .constant(milliseconds: 105)])
    func `latencies have their mean and stay within their bounds`(latency: Latency) {
        var generator = SeededGenerator(seed: 3)
        let all = (0..<10_000).map { _ in latency.draw(using: &generator) }
        let mean = all.reduce(.zero, +) / all.count
        #expect((Duration.milliseconds(97)...Duration.milliseconds(108)).contains(mean))
        let bounds: ClosedRange<Duration> =
            switch latency {
            case .uniform(let range): .milliseconds(range.lowerBound)...Duration.milliseconds(range.upperBound)
            case .constant(let milliseconds): .milliseconds(milliseconds)...Duration.milliseconds(milliseconds)
            case .exponential: .zero...Duration.milliseconds(Latency.longestMilliseconds)
            }
        #expect(all.allSatisfy(bounds.contains))
    }

    @Test func `there is a bound to faults, and each can be removed`() {
        var book = book(Array(repeating: Fault(deed: .oneStream), count: FaultBook.maximumFaults))
        #expect(book.add(Fault(deed: .stall), at: moment(0)) == nil)
        let removed = [book.remove(1), book.remove(1)]
        #expect(removed == [true, false])
        let added = book.add(Fault(deed: .stall), at: moment(0))
        #expect(added?.number == FaultBook.maximumFaults + 1)
        book.removeAll()
        #expect(book.entries.isEmpty)
    }
}
