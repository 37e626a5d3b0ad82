import Encodings
import GameCore
import Testing

@testable import PushCadence

struct DeviceBudgetTests {
    private let start = Timestamp(epochSeconds: 1_790_000_000)

    /// Returns the number of pushes in the budget at a moment.
    private func pushes(in budget: DeviceBudget, at moment: Timestamp) -> Int {
        var rest = budget
        var pushes = 0
        while pushes < 100, rest.allows(keeping: 0, at: moment) {
            rest.spend(at: moment)
            pushes += 1
        }
        return pushes
    }

    @Test func `a budget starts full and refills with time, never above its capacity`() {
        var budget = DeviceBudget(capacity: 2, refill: .seconds(10))
        #expect(pushes(in: budget, at: start) == 2)
        budget.spend(at: start)
        budget.spend(at: start)
        #expect(pushes(in: budget, at: start + .milliseconds(9_999)) == 0)
        #expect(pushes(in: budget, at: start + .seconds(10)) == 1)
        #expect(pushes(in: budget, at: start + .seconds(1_000)) == 2)
    }

    @Test func `the next allowed time depends on credit and reserve`() {
        let budget = DeviceBudget(capacity: 3, refill: .seconds(10), fullAt: start + .seconds(20))
        #expect(budget.nextAllowed(keeping: 0, at: start) == start)
        #expect(budget.nextAllowed(keeping: 2, at: start + .seconds(5)) == start + .seconds(20))
    }

    @Test func `a budget is full once time adds nothing to it`() {
        var budget = DeviceBudget(capacity: 2, refill: .seconds(10))
        #expect(budget.isFull(at: start))
        budget.spend(at: start)
        #expect(!budget.isFull(at: start + .seconds(9)))
        #expect(budget.isFull(at: start + .seconds(10)))
    }

    @Test func `a refunded push can be spent again`() {
        var budget = DeviceBudget(capacity: 1, refill: .seconds(10))
        budget.spend(at: start)
        budget.refund()
        budget.refund()
        #expect(pushes(in: budget, at: start) == 1)
    }

    @Test func `a clock that is set back adds nothing, and an empty budget refills from there`() {
        let budget = DeviceBudget(capacity: 1, refill: .seconds(10), fullAt: start + .seconds(10))
        #expect(pushes(in: budget, at: start - .seconds(60)) == 0)
        #expect(budget.nextAllowed(keeping: 0, at: start - .seconds(60)) == start - .seconds(50))
    }

    @Test func `spending from an empty budget traps`() async {
        await #expect(processExitsWith: .failure) {
            var budget = DeviceBudget(capacity: 1, refill: .seconds(10))
            budget.spend(at: Timestamp(epochSeconds: 1))
            budget.spend(at: Timestamp(epochSeconds: 1))
        }
    }

    @Test func `the next holder of the lease continues with the stored moment`() {
        var budget = DeviceBudget(.standard)
        for _ in 0..<5 { budget.spend(at: start) }
        var next = DeviceBudget(.standard, fullAt: budget.fullAt)
        #expect(pushes(in: next, at: start) == 1)
        // An older record adds nothing.
        next.merge(fullAt: start, at: start)
        next.merge(fullAt: nil, at: start)
        #expect(pushes(in: next, at: start) == 1)
        #expect(pushes(in: next, at: start + .seconds(400)) == 2)
    }

    @Test func `a change of the pace keeps the pushes that are spent`() {
        var budget = DeviceBudget(.frequent)
        for _ in 0..<4 { budget.spend(at: start) }
        budget.change(to: .standard, at: start)
        #expect(pushes(in: budget, at: start) == 2)
        #expect(pushes(in: budget, at: start + .seconds(400)) == 3)
        budget.change(to: .frequent, at: start + .seconds(400))
        #expect(pushes(in: budget, at: start + .seconds(400)) == 27)
        // More than the new capacity has no debt.
        for _ in 0..<20 { budget.spend(at: start + .seconds(400)) }
        budget.change(to: .standard, at: start + .seconds(400))
        #expect(pushes(in: budget, at: start + .seconds(800)) == 1)
    }

    @Test func `a record of a slower pace empties the budget at most`() {
        var budget = DeviceBudget(.frequent)
        budget.merge(fullAt: start + .seconds(2_400), at: start)
        #expect(pushes(in: budget, at: start) == 0)
        #expect(pushes(in: budget, at: start + .seconds(14)) == 1)
    }

    @Test func `a reserve of a larger pace leaves nothing but the first push`() {
        var budget = DeviceBudget(.standard)
        #expect(budget.allows(keeping: 8, at: start))
        budget.spend(at: start)
        #expect(!budget.allows(keeping: 8, at: start))
        #expect(budget.nextAllowed(keeping: 8, at: start) == start + .seconds(400))
        budget.assumeSpent(exceptFor: 8, at: start)
        #expect(pushes(in: budget, at: start) == 5)
    }

    @Test func `what may have been sent without a record counts as spent`() {
        var budget = DeviceBudget(.standard)
        budget.assumeSpent(exceptFor: 4, at: start)
        #expect(pushes(in: budget, at: start) == 4)
        #expect(pushes(in: budget, at: start + .seconds(400)) == 5)
        budget.assumeSpent(2, at: start)
        #expect(pushes(in: budget, at: start) == 2)
        // What is spent already is spent once, and an empty budget has no debt.
        budget.assumeSpent(exceptFor: 4, at: start)
        #expect(pushes(in: budget, at: start) == 2)
        budget.assumeSpent(9, at: start)
        #expect(pushes(in: budget, at: start + .seconds(400)) == 1)
        // What has been refilled of the next push cannot have been sent, however often nodes crash.
        for seconds in stride(from: 60, to: 400, by: 60) { budget.assumeSpent(9, at: start + .seconds(seconds)) }
        #expect(pushes(in: budget, at: start + .seconds(399)) == 0)
        #expect(pushes(in: budget, at: start + .seconds(400)) == 1)
    }

    @Test func `a start spends even what is not refilled`() {
        var budget = DeviceBudget(.standard)
        budget.assumeSpent(6, at: start)
        budget.spendStart(at: start + .seconds(399))
        #expect(pushes(in: budget, at: start + .seconds(798)) == 0)
        #expect(pushes(in: budget, at: start + .seconds(799)) == 1)
    }

    @Test func `numbers that starve alerts trap`() async {
        await #expect(processExitsWith: .failure) {
            var pace = CadencePolicy.Pace.standard
            pace.highCapacity = 2
            _ = DeviceBudget(pace)
        }
    }
}
