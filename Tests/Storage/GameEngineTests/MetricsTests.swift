import Encodings
import GameCore
import GameEngine
import GameStore
import GameTestSupport
import RangersMetrics
import ServiceRuntime
import TestSupport
import Testing

@Suite struct MetricsTests {
    @Test func `ticks, their lag, events and commands are counted`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let journey = try await world.startJourney(party)
            let first = try await world.store.backlogStatistics()
            #expect(first.journeys == 1 && first.bossFights == 0 && first.oldestTurnDue == nil)
            #expect(first.oldestUnsent == world.runtime.now())
            await #expect(throws: CommandError.self) { try await world.startJourney(party) }
            // Two ticks were missed, and the third is half a second late: the oldest is 20.5 seconds late.
            world.clock.advance(by: .milliseconds(30_500))
            #expect(try await world.engine().runPollCycle().ticks == 3)
            let fight = try await world.commands.startBossFight(
                of: world.party(of: [world.player("Cleo")]).id,
                against: BossCatalogue.all[0].id,
                by: .test
            )
            world.clock.advance(by: .seconds(16))
            #expect(try await world.store.backlogStatistics().oldestTurnDue == fight.turnDueAt)
            _ = try await world.engine().runPollCycle()
            let backlog = try await world.store.backlogStatistics()
            #expect(backlog.journeys == 1 && backlog.bossFights == 1 && backlog.liveActivities == 0)
            #expect(backlog.oldestTurnDue == world.runtime.now() + .seconds(15))
            _ = try await world.commands.end(fight.id, by: .test)
            _ = try await world.commands.end(journey.id, by: .test)
            await #expect(throws: CommandError.self) { try await world.commands.end(journey.id, by: .test) }

            let text = await world.registry.text()
            let logged = try await world.store.log(of: journey.id.shard, after: 0, limit: 1_000)
            #expect(logged.count > 4)
            for series in [
                #"rangers_ticks_total{kind="journey"} 4"#, #"rangers_ticks_total{kind="bossFight"} 1"#,
                #"rangers_tick_lag_seconds_bucket{le="10"} 2"#, #"rangers_tick_lag_seconds_bucket{le="30"} 3"#,
                #"rangers_tick_lag_seconds_count 3"#, #"rangers_tick_batch_ticks_bucket{le="2"} 2"#,
                #"rangers_tick_batch_ticks_sum 5"#, #"rangers_tick_batch_duration_seconds_count 3"#,
                #"rangers_tick_failures_total 0"#, #"rangers_events_total{kind="adventureStarted"} 2"#,
                #"rangers_commands_total{command="startJourney",outcome="done"} 1"#,
                #"rangers_commands_total{command="startJourney",outcome="refused"} 1"#,
                #"rangers_commands_total{command="startBossFight",outcome="done"} 1"#,
                #"rangers_commands_total{command="end",outcome="done"} 2"#,
                #"rangers_commands_total{command="end",outcome="refused"} 1"#,
            ] {
                #expect(text.contains("\n\(series)\n"), "\(series)\n\(text)")
            }
        }
    }
}
