import Encodings
import GameCore
import Testing

@testable import PushCadence

struct DeviceBudgetTests {
    private let start = Timestamp(epochSeconds: 1_790_000_000)

    /// Returns the number of pushes in the budget at a moment.
    private func pushes(in budget: inout DeviceBudget, at moment: Timestamp) -> Int {
        (0..<100).first { !budget.allows(keeping: $0, at: moment) } ?? 100
    }

    @Test func `a budget starts full and refills with time, never above its capacity`() {
        var budget = DeviceBudget(capacity: 2, refill: .seconds(10))
        #expect(pushes(in: &budget, at: start) == 2)
        budget.spend()
        budget.spend()
        #expect(pushes(in: &budget, at: start + .milliseconds(9_999)) == 0)
        #expect(pushes(in: &budget, at: start + .seconds(10)) == 1)
        #expect(pushes(in: &budget, at: start + .seconds(1_000)) == 2)
    }

    @Test func `the next allowed time depends on credit and reserve`() {
        var budget = DeviceBudget(capacity: 3, refill: .seconds(10), holding: 1, at: start)
        let first = budget.nextAllowed(keeping: 0, at: start)
        let third = budget.nextAllowed(keeping: 2, at: start + .seconds(5))
        #expect(first == start)
        #expect(third == start + .seconds(20))
    }

    @Test func `a budget is full once time adds nothing to it`() {
        var budget = DeviceBudget(capacity: 2, refill: .seconds(10))
        #expect(budget.isFull(at: start))
        _ = budget.allows(keeping: 0, at: start)
        budget.spend()
        #expect(!budget.isFull(at: start + .seconds(9)))
        #expect(budget.isFull(at: start + .seconds(10)))
    }

    @Test func `a refunded push can be spent again`() {
        var budget = DeviceBudget(capacity: 1, refill: .seconds(10), holding: 1, at: start)
        budget.spend()
        budget.refund()
        budget.refund()
        #expect(pushes(in: &budget, at: start) == 1)
    }

    @Test func `a clock that is set back adds nothing, and the budget refills from there`() {
        var budget = DeviceBudget(capacity: 1, refill: .seconds(10), holding: 0, at: start)
        #expect(pushes(in: &budget, at: start - .seconds(60)) == 0)
        #expect(pushes(in: &budget, at: start - .seconds(51)) == 0)
        #expect(pushes(in: &budget, at: start - .seconds(50)) == 1)
    }

    @Test func `spending from an empty budget traps`() async {
        await #expect(processExitsWith: .failure) {
            var budget = DeviceBudget(capacity: 1, refill: .seconds(10))
            budget.spend()
            budget.spend()
        }
    }

    @Test func `a phone that another sender pushed to starts with the reserve of alerts`() {
        var budget = DeviceBudget(.standard, lastPush: start)
        #expect(pushes(in: &budget, at: start) == 4)
        #expect(pushes(in: &budget, at: start + .seconds(400)) == 5)
    }

    @Test func `numbers that starve alerts trap`() async {
        await #expect(processExitsWith: .failure) {
            var pace = CadencePolicy.Pace.standard
            pace.highCapacity = 2
            _ = DeviceBudget(pace)
        }
    }
}
