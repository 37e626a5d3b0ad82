import GameCore
import PushCadence
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

    @Test func `no hour without frequent pushes has more of priority 10 than the reported budget`() {
        let refillsAnHour = Duration.seconds(3_600) / policy.standard.highRefill
        #expect(Double(policy.standard.highCapacity) + refillsAnHour <= 15)
    }

    @Test func `the system's limits hold`() {
        #expect(policy.dismissalAfter <= .seconds(4 * 3_600))
        #expect(policy.endExpiration <= .seconds(8 * 3_600))
    }

    @Test func `numbers that starve alerts stop the programmer`() async {
        await #expect(processExitsWith: .failure) {
            var policy = CadencePolicy()
            policy.standard.highCapacity = 2
            _ = ActivityCadence(
                policy: policy,
                frequentPushesEnabled: false,
                startedAt: Timestamp(epochSeconds: 0),
                resuming: nil,
                settledThrough: 0
            )
        }
    }
}
