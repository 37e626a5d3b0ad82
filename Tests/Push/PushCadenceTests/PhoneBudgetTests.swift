import Encodings
import GameCore
import Testing

@testable import PushCadence

struct PhoneBudgetTests {
    private let start = Timestamp(epochSeconds: 1_790_000_000)

    /// How many pushes the budget says it has at a moment.
    private func pushes(in budget: inout PhoneBudget, at moment: Timestamp) -> Int {
        (0..<100).first { !budget.allows(keeping: $0, at: moment) } ?? 100
    }

    @Test func `a budget starts full and refills with time, never above its capacity`() {
        var budget = PhoneBudget(capacity: 2, refill: .seconds(10))
        #expect(pushes(in: &budget, at: start) == 2)
        budget.take()
        budget.take()
        #expect(pushes(in: &budget, at: start + .milliseconds(9_999)) == 0)
        #expect(pushes(in: &budget, at: start + .seconds(10)) == 1)
        #expect(pushes(in: &budget, at: start + .seconds(1_000)) == 2)
    }

    @Test func `it tells when a push can be taken`() {
        var budget = PhoneBudget(capacity: 3, refill: .seconds(10), holding: 1, at: start)
        let first = budget.allowed(keeping: 0, at: start)
        let third = budget.allowed(keeping: 2, at: start + .seconds(5))
        #expect(first == start)
        #expect(third == start + .seconds(20))
    }

    @Test func `it is full when no time would add to it`() {
        var budget = PhoneBudget(capacity: 2, refill: .seconds(10))
        #expect(budget.isFull(at: start))
        _ = budget.allows(keeping: 0, at: start)
        budget.take()
        #expect(!budget.isFull(at: start + .seconds(9)))
        #expect(budget.isFull(at: start + .seconds(10)))
    }

    @Test func `a push that was given back can be taken again`() {
        var budget = PhoneBudget(capacity: 1, refill: .seconds(10), holding: 1, at: start)
        budget.take()
        budget.giveBack()
        budget.giveBack()
        #expect(pushes(in: &budget, at: start) == 1)
    }

    @Test func `a clock that goes backwards adds nothing and goes on from there`() {
        var budget = PhoneBudget(capacity: 1, refill: .seconds(10), holding: 0, at: start)
        #expect(pushes(in: &budget, at: start - .seconds(60)) == 0)
        #expect(pushes(in: &budget, at: start - .seconds(51)) == 0)
        #expect(pushes(in: &budget, at: start - .seconds(50)) == 1)
    }

    @Test func `a push that is not there cannot be taken`() async {
        await #expect(processExitsWith: .failure) {
            var budget = PhoneBudget(capacity: 1, refill: .seconds(10))
            budget.take()
            budget.take()
        }
    }

    @Test func `a phone that somebody else pushed to is taken to have what alerts keep`() {
        var budget = PhoneBudget(.standard, lastPush: start)
        #expect(pushes(in: &budget, at: start) == 4)
        #expect(pushes(in: &budget, at: start + .seconds(400)) == 5)
    }

    @Test func `numbers that starve alerts stop the programmer`() async {
        await #expect(processExitsWith: .failure) {
            var pace = CadencePolicy.Pace.standard
            pace.highCapacity = 2
            _ = PhoneBudget(pace)
        }
    }
}
