import APNsClient
import GameEngine
import PushCadence
import PushDispatch
import PushDispatcher

/// The settings of all nodes of a run: intervals are shorter than in production, so that a run of minutes covers hours.
package struct SimulationSettings: Sendable {
    let game: GameSettings
    let dispatcher: DispatcherSettings

    /// Draws the settings of a run.
    init(drawnBy world: SimulatedWorld, shardCount: Int) {
        game = GameSettings(
            journeyTick: .seconds([5, 10, 10][world.number(below: 3)]),
            bossTurn: .seconds(2 + world.number(below: 4))
        )
        var policy = CadencePolicy()
        policy.frequent.turnSpacing = .seconds(1)
        policy.frequent.lowSpacing = .seconds(3)
        policy.frequent.highRefill = .seconds(4)
        policy.standard.turnSpacing = .seconds(4)
        policy.standard.lowSpacing = .seconds(6)
        policy.standard.highRefill = .seconds(6)
        if world.number(below: 3) == 0 {
            // Budgets that a fight spends, and that are not full again when another node takes the shard over.
            policy.frequent.highCapacity = 4
            policy.frequent.alertReserve = 2
            policy.frequent.highRefill = .seconds(40)
            policy.standard.highCapacity = 3
            policy.standard.alertReserve = 2
            policy.standard.highRefill = .seconds(40)
        }
        policy.fallbackHourlyBudget = [3, 6, 24][world.number(below: 3)]
        policy.widgetSpacing = .seconds(8)
        var settings = DispatcherSettings(
            pollInterval: .milliseconds(500),
            openBreakerDelay: .seconds(2),
            policy: policy,
            bundleID: "com.example.EmojiRangers"
        )
        settings.shardCount = shardCount
        settings.maxInFlight = [1, 3, 100][world.number(below: 3)]
        settings.breakerLimits.firstProbeDelay = .seconds(2)
        settings.breakerLimits.maxProbeDelay = .seconds(5)
        dispatcher = settings
    }
}
