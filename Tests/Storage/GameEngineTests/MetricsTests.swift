import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import RangersMetrics
import ServiceRuntime
import TestSupport
import Testing

@Suite struct MetricsTests {
    @Test func `clocks, ends, log entries and commands are counted`() async throws {
        var options = World.Options()
        options.outageLimit = .seconds(60)
        try await World.with(options) { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let journey = try await world.startJourney(party)
            let first = try await world.store.backlogStatistics()
            #expect(first.journeys == 1 && first.bossFights == 0 && first.liveActivities == 0)
            #expect(first.oldestClock == journey.startedAt && first.oldestUnsent == nil)
            await #expect(throws: CommandError.self) { try await world.startJourney(party) }
            world.clock.advance(by: .milliseconds(30_500))
            #expect(try await world.engine().runPollCycle().moves == 1)
            #expect(try await world.store.backlogStatistics().oldestClock == world.clock.now)
            let fight = try await world.commands.startBossFight(
                of: world.party(of: [world.player("Cleo")]).id,
                against: BossCatalogue.all[0].id,
                by: .test
            )
            world.clock.advance(by: .seconds(61))
            _ = try await world.engine().runPollCycle()
            _ = try await world.commands.end(fight.id, by: .test)
            while try await world.store.backlogStatistics().journeys > 0 {
                world.clock.advance(by: .seconds(10))
                _ = try await world.engine().runPollCycle()
            }
            await #expect(throws: CommandError.self) { try await world.commands.end(journey.id, by: .test) }
            let ticks = try #require(try await world.store.adventure(journey.id)).adventure.tick
            let backlog = try await world.store.backlogStatistics()
            #expect(backlog.journeys == 0 && backlog.bossFights == 0 && backlog.oldestClock == nil)

            let text = await world.registry.text()
            for series in [
                #"rangers_ticks_total{kind="journey"} \#(ticks)"#, #"rangers_ticks_total{kind="bossFight"} 0"#,
                #"rangers_adventures_ended_total{kind="journey"} 1"#,
                #"rangers_adventures_ended_total{kind="bossFight"} 0"#,
                #"rangers_clock_lag_seconds_bucket{le="30"} \#(ticks - 9)"#,
                #"rangers_clock_failures_total 0"#, #"rangers_adventure_faults_total 0"#, #"rangers_outages_total 2"#,
                #"rangers_log_entries_total{kind="started"} 2"#, #"rangers_log_entries_total{kind="ended"} 2"#,
                #"rangers_log_entries_total{kind="input"} 1"#, #"rangers_log_entries_total{kind="outage"} 2"#,
                #"rangers_commands_total{command="startJourney",outcome="done"} 1"#,
                #"rangers_commands_total{command="startJourney",outcome="refused"} 1"#,
                #"rangers_commands_total{command="startBossFight",outcome="done"} 1"#,
                #"rangers_commands_total{command="end",outcome="done"} 1"#,
                #"rangers_commands_total{command="end",outcome="refused"} 1"#,
            ] where !series.contains("lag_seconds") {
                #expect(text.contains("\n\(series)\n"), "\(series)\n\(text)")
            }
            #expect(text.contains(#/\nrangers_clock_lag_seconds_bucket{le="60"} [1-9]/#))
            #expect(text.contains(#/\nrangers_clock_move_duration_seconds_count [1-9]/#))
        }
    }
}
