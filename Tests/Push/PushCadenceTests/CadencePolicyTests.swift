import GameCore
import PushCadence
import PushRules
import Testing

struct CadencePolicyTests {
    private let policy = CadencePolicy()

    @Test(arguments: [true, false])
    func `a state outlives every spacing and a tick or two`(frequent: Bool) {
        let pace = policy.pace(frequentPushesEnabled: frequent)
        #expect(pace.staleAfter > max(pace.lowSpacing, pace.turnSpacing) + .seconds(60))
    }

    @Test func `phones with frequent pushes are served sooner and more`() {
        #expect(policy.frequent.turnSpacing < policy.standard.turnSpacing)
        #expect(policy.frequent.lowSpacing < policy.standard.lowSpacing)
        #expect(policy.frequent.highCapacity > policy.standard.highCapacity)
        #expect(policy.frequent.highRefill < policy.standard.highRefill)
    }

    @Test(arguments: [(true, 300), (false, 15)])
    func `no hour has more of priority 10 than the reported budget`(frequent: Bool, budget: Double) {
        let pace = policy.pace(frequentPushesEnabled: frequent)
        #expect(Double(pace.highCapacity) + .seconds(3_600) / pace.highRefill <= budget)
    }

    @Test func `an alert waits for longer than a spent budget takes to allow a push`() {
        #expect(policy.alertExpiry > policy.standard.highRefill)
    }

    @Test func `the weightier an alert is the less it leaves to others, and turns leave the most`() {
        for pace in [policy.frequent, policy.standard] {
            let reserves = AlertWeight.allCases.map(pace.reserve)
            #expect(reserves == [pace.alertReserve, 2, 1, 0])
        }
    }

    @Test func `the system's limits hold`() {
        #expect(policy.dismissalAfter <= .seconds(4 * 3_600))
        #expect(policy.endExpiration <= .seconds(8 * 3_600))
    }
}
