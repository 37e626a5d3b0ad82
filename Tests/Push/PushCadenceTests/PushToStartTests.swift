import Encodings
import Foundation
import GameCore
import PushCadence
import Testing

@Suite struct PushToStartTests {
    private static let noon = Timestamp(epochSeconds: 1_790_000_000)

    private func at(minute: Int) -> Timestamp { Self.noon + .seconds(60 * minute) }

    private func adventure(_ number: UInt8) -> AdventureID {
        AdventureID(rawValue: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
    }

    private func nothingStarted() -> PushToStart { PushToStart(policy: PushToStartPolicy(), starts: []) }

    /// Asks for a card of a new adventure each time; every start before is answered.
    private func refusals(atMinutes minutes: [Int]) -> [StartRefusal?] {
        var starts = nothingStarted()
        return minutes.enumerated().map { index, minute in
            starts.claim(for: adventure(UInt8(index)), outstandingIsAnswered: true, at: at(minute: minute))
        }
    }

    @Test func `three an hour, and then the next when the first is an hour old`() {
        #expect(refusals(atMinutes: [0, 1, 2, 3, 59, 60]) == [nil, nil, nil, .hourlyBudget, .hourlyBudget, nil])
    }

    @Test func `eight a day, and then the next when the first is a day old`() {
        let hours = (0..<8).map { 60 * $0 }
        let refusals = refusals(atMinutes: hours + [8 * 60, 24 * 60 - 1, 24 * 60])
        #expect(refusals == Array(repeating: nil, count: 8) + [.dailyBudget, .dailyBudget, nil])
    }

    @Test func `one is outstanding until it is answered, or for ten minutes`() {
        var starts = nothingStarted()
        #expect(starts.outstanding(at: at(minute: 0)) == nil)
        #expect(starts.claim(for: adventure(1), outstandingIsAnswered: false, at: at(minute: 0)) == nil)
        #expect(starts.outstanding(at: at(minute: 9))?.adventureID == adventure(1))
        #expect(starts.claim(for: adventure(2), outstandingIsAnswered: false, at: at(minute: 9)) == .outstanding)
        #expect(starts.outstanding(at: at(minute: 10)) == nil)
        #expect(starts.claim(for: adventure(2), outstandingIsAnswered: false, at: at(minute: 10)) == nil)
        #expect(starts.claim(for: adventure(3), outstandingIsAnswered: true, at: at(minute: 11)) == nil)
    }

    @Test func `a card answers its start although the clock that saw it is some seconds behind`() {
        let start = PushToStart.Start(adventureID: adventure(1), at: Self.noon)
        #expect(start.isAnswered(byCardRegisteredAt: Self.noon))
        #expect(start.isAnswered(byCardRegisteredAt: Self.noon + .seconds(-4)))
        #expect(!start.isAnswered(byCardRegisteredAt: Self.noon + .seconds(-5)))
    }

    @Test func `an adventure is not started twice within the hour, whatever became of the first`() {
        var starts = nothingStarted()
        #expect(starts.claim(for: adventure(1), outstandingIsAnswered: true, at: at(minute: 0)) == nil)
        #expect(starts.claim(for: adventure(1), outstandingIsAnswered: true, at: at(minute: 59)) == .alreadyStarted)
        #expect(starts.claim(for: adventure(1), outstandingIsAnswered: true, at: at(minute: 60)) == nil)
    }

    @Test func `a clock that was set back starts nothing more`() {
        #expect(refusals(atMinutes: [100, 101, 102, 0]).last == .hourlyBudget)
    }

    @Test func `a budget of zero starts nothing`() {
        var policy = PushToStartPolicy()
        policy.hourlyBudget = 0
        var starts = PushToStart(policy: policy, starts: [])
        #expect(starts.claim(for: adventure(1), outstandingIsAnswered: true, at: Self.noon) == .hourlyBudget)
        #expect(starts.starts.isEmpty)
    }

    @Test(arguments: UInt64(0)..<50)
    func `whatever is asked, no hour has more than three and no day more than eight`(seed: UInt64) {
        var generator = SplitMix(state: seed)
        var starts = nothingStarted()
        var claimed: [PushToStart.Start] = []
        var now = Self.noon
        for _ in 0..<400 {
            now = now + .seconds(Int.random(in: 0...1_800, using: &generator))
            let wanted = adventure(UInt8.random(in: 0...20, using: &generator))
            let outstanding = starts.outstanding(at: now)
            let isAnswered = Bool.random(using: &generator)
            if starts.claim(for: wanted, outstandingIsAnswered: isAnswered, at: now) == nil {
                #expect(outstanding == nil || isAnswered)
                claimed.append(.init(adventureID: wanted, at: now))
            }
            // What is stored and read back decides alike.
            starts = PushToStart(policy: PushToStartPolicy(), starts: starts.starts)
            #expect(starts.starts.count <= 8)
        }
        #expect(claimed.count > 20, "the test needs starts")
        for start in claimed {
            func count(within duration: Duration) -> Int {
                claimed.count { $0.at <= start.at && start.at - $0.at < duration }
            }
            #expect(count(within: .seconds(3_600)) <= 3)
            #expect(count(within: .seconds(86_400)) <= 8)
        }
    }

    @Test func `a journey's card stays true for longer than a fight's`() {
        let policy = CadencePolicy()
        func seconds(_ kind: AdventureKind, frequent: Bool) -> Int64 {
            policy.staleDateOfStart(of: kind, frequentPushesEnabled: frequent, at: Self.noon) - Self.noon.epochSeconds
        }
        #expect(seconds(.bossFight, frequent: true) == 120 && seconds(.journey, frequent: true) == 240)
        #expect(seconds(.bossFight, frequent: false) == 300 && seconds(.journey, frequent: false) == 600)
    }

    @Test func `every refusal says why in its own words`() {
        #expect(Set(StartRefusal.allCases.map(\.description)).count == StartRefusal.allCases.count)
    }
}
