import GameCore
import RangersClient
import Testing

@testable import SimulatedPlayers

@Suite struct PureStoryTests {
    /// Plays a journey and a fight, and returns their faults.
    private func faults(
        _ number: Int,
        seed: UInt64,
        on cast: inout SimulatedCast,
        spending budgets: inout PhoneBudgets
    ) throws -> [String] {
        let region = RegionCatalogue.all[number % RegionCatalogue.all.count].id
        let boss = BossCatalogue.all[number % BossCatalogue.all.count].id
        let journey = try PureStorySimulation.play(in: region, seed: seed, on: &cast)
        let bossFight = try PureStorySimulation.play(against: boss, seed: seed, on: &cast)
        let report = StoryCheck.report(journey: journey, bossFight: bossFight, spending: &budgets)
        return report.conditions.flatMap(\.faults)
    }

    /// The seeds cover every region and every boss.
    @Test(arguments: 0..<30)
    func `all conditions hold for complete stories with any outcome`(seed: UInt64) throws {
        var cast = SimulatedCast()
        var budgets = PhoneBudgets(policy: cast.policy)
        #expect(try faults(Int(seed), seed: seed, on: &cast, spending: &budgets) == [])
    }

    /// The demo's rounds for about an hour: each begins with the budgets that the previous one has left.
    @Test(arguments: 0..<4, [Duration.zero, .milliseconds(2_500)])
    func `all conditions hold for many rounds, also on a busy machine`(seed: UInt64, maxStall: Duration) throws {
        var cast = SimulatedCast(standardRefill: .seconds(20), maxStall: maxStall, seed: seed)
        var budgets = PhoneBudgets(policy: cast.policy)
        for round in 0..<40 {
            let faults = try faults(round, seed: seed * 1_000 + UInt64(round), on: &cast, spending: &budgets)
            #expect(faults == [], "round \(round + 1)")
        }
    }

    @Test func `all conditions hold for a lost journey and a lost fight`() throws {
        let journey = try firstLost { try PureStorySimulation.play(in: "meadow", seed: $0, on: &$1) }
        let fight = try firstLost { try PureStorySimulation.play(against: "glitch", seed: $0, on: &$1) }
        var budgets = PhoneBudgets(policy: SimulatedCast().policy)
        let report = StoryCheck.report(journey: journey, bossFight: fight, spending: &budgets)
        #expect(report.conditions.flatMap(\.faults) == [])
    }

    /// Returns the first lost adventure of many seeds, since good players seldom lose.
    private func firstLost(
        _ play: (UInt64, inout SimulatedCast) throws -> AdventureEvidence
    ) throws -> AdventureEvidence {
        var lost: AdventureEvidence?
        for seed in 0..<500 as Range<UInt64> where lost == nil {
            var cast = SimulatedCast()
            let evidence = try play(seed, &cast)
            if evidence.adventure.outcome?.value == .partyWiped { lost = evidence }
        }
        return try #require(lost)
    }
}
