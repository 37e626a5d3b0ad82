import APNsClient
import GameEngine
import PushCadence
import PushDispatcher

/// The settings of all nodes of a run: quicker than real ones, so that minutes show what takes hours.
///
/// Unchecked but true: touched on the world's one thread only.
package final class SimulationSettings: @unchecked Sendable {
    let game: GameSettings
    let dispatcher: DispatcherSettings
    /// Whether nodes that start play.
    var isPlaying = true

    /// Settings drawn by the world, for so many shards.
    init(drawnBy world: World, shardCount: Int) {
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
        var settings = DispatcherSettings(
            pollInterval: .milliseconds(500),
            pauseAfterStop: .seconds(2),
            policy: policy,
            bundleID: "com.example.EmojiRangers"
        )
        settings.shardCount = shardCount
        settings.mostUnderWay = [1, 3, 100][world.number(below: 3)]
        settings.routeLimits.firstPause = .seconds(2)
        settings.routeLimits.longestPause = .seconds(5)
        dispatcher = settings
    }
}
