import Testing

@testable import APNsSimulator

@Suite struct PushBudgetTests {
    private var budget = PushBudget(limit: 2, periodSeconds: 60)

    private mutating func spend(_ seconds: Int64) -> Bool { budget.spend(at: moment(seconds)) }

    @Test mutating func `no period has more pushes than the limit`() {
        #expect(spend(0))
        #expect(spend(50))
        #expect(!spend(59))
        #expect(spend(60))
        #expect(!spend(109))
        #expect(spend(110))
    }

    @Test mutating func `the budget recovers with time, and a dropped push costs nothing`() {
        #expect(budget.remaining(at: moment(0)) == 2)
        _ = budget.spend(at: moment(0))
        _ = budget.spend(at: moment(10))
        _ = budget.spend(at: moment(20))
        #expect(budget.remaining(at: moment(59)) == 0)
        #expect(budget.remaining(at: moment(60)) == 1)
        #expect(budget.remaining(at: moment(70)) == 2)
    }

    @Test mutating func `a changed limit applies immediately`() {
        _ = budget.spend(at: moment(0))
        budget.limit = 1
        #expect(!spend(1))
        #expect(budget.remaining(at: moment(1)) == 0)
        budget.limit = 3
        #expect(budget.remaining(at: moment(1)) == 2)
    }

    @Test func `without a limit every push is accepted`() {
        var budget = PushBudget(limit: nil, periodSeconds: 60)
        for _ in 0..<1000 {
            let isAccepted = budget.spend(at: moment(0))
            #expect(isAccepted)
        }
        #expect(budget.remaining(at: moment(0)) == nil)
    }
}
