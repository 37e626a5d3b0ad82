import GameCore
import PushCadence
import PushRules
import Testing

struct CadencePolicyTests {
    private let policy = CadencePolicy()

    @Test(arguments: [true, false])
    func `a state is fresh for longer than every spacing and several ticks`(frequent: Bool) {
        let pace = policy.pace(frequentPushesEnabled: frequent)
        #expect(pace.staleAfter > max(pace.lowSpacing, pace.turnSpacing) + .seconds(60))
    }

    @Test func `phones with frequent pushes get more pushes, and sooner`() {
        #expect(policy.frequent.turnSpacing < policy.standard.turnSpacing)
        #expect(policy.frequent.lowSpacing < policy.standard.lowSpacing)
        #expect(policy.frequent.highCapacity > policy.standard.highCapacity)
        #expect(policy.frequent.highRefill < policy.standard.highRefill)
    }

    @Test(arguments: [(true, 300), (false, 15)])
    func `any hour stays within the reported budget of priority 10`(frequent: Bool, budget: Double) {
        let pace = policy.pace(frequentPushesEnabled: frequent)
        #expect(Double(pace.highCapacity) + .seconds(3_600) / pace.highRefill <= budget)
    }

    @Test func `an alert expires later than a spent budget refills`() {
        #expect(policy.alertExpiry > policy.standard.highRefill)
    }

    @Test func `heavier alerts leave smaller reserves`() {
        for pace in [policy.frequent, policy.standard] {
            let reserves = AlertWeight.allCases.map(pace.reserve)
            #expect(reserves == [pace.alertReserve, pace.alertReserve, 2, 1, 0])
        }
    }

    @Test func `the defaults are within the limits of the system`() {
        #expect(policy.dismissalAfter <= .seconds(4 * 3_600))
        #expect(policy.endExpiration <= .seconds(8 * 3_600))
    }
}
