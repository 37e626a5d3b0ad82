import Testing

@testable import APNsSimulator

@Suite struct PushBudgetTests {
    private var budget = PushBudget(limit: 2, periodSeconds: 60)

    private mutating func take(_ seconds: Int64) -> Bool { budget.take(at: moment(seconds)) }

    @Test mutating func `no period of that length has more than the limit`() {
        #expect(take(0))
        #expect(take(50))
        #expect(!take(59))
        #expect(take(60))
        #expect(!take(109))
        #expect(take(110))
    }

    @Test mutating func `what is left comes back with time, and what was refused costs nothing`() {
        #expect(budget.left(at: moment(0)) == 2)
        _ = budget.take(at: moment(0))
        _ = budget.take(at: moment(10))
        _ = budget.take(at: moment(20))
        #expect(budget.left(at: moment(59)) == 0)
        #expect(budget.left(at: moment(60)) == 1)
        #expect(budget.left(at: moment(70)) == 2)
    }

    @Test mutating func `a smaller limit is spent at once, and a larger one has room`() {
        _ = budget.take(at: moment(0))
        budget.limit = 1
        #expect(!take(1))
        #expect(budget.left(at: moment(1)) == 0)
        budget.limit = 3
        #expect(budget.left(at: moment(1)) == 2)
    }

    @Test func `without a limit everything is taken`() {
        var budget = PushBudget(limit: nil, periodSeconds: 60)
        for _ in 0..<1000 {
            let isTaken = budget.take(at: moment(0))
            #expect(isTaken)
        }
        #expect(budget.left(at: moment(0)) == nil)
    }
}
