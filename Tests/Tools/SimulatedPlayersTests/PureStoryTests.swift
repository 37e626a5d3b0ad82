import GameCore
import RangersClient
import Testing

@testable import SimulatedPlayers

@Suite struct PureStoryTests {
    /// The seeds cover every region and every boss.
    @Test(arguments: 0..<30)
    func `all conditions hold for complete stories with any outcome`(seed: UInt64) throws {
        let region = RegionCatalogue.all[Int(seed) % RegionCatalogue.all.count].id
        let boss = BossCatalogue.all[Int(seed) % BossCatalogue.all.count].id
        let journey = try PureStorySimulation.play(in: region, seed: seed)
        let bossFight = try PureStorySimulation.play(against: boss, seed: seed)
        let report = StoryCheck.report(journey: journey, bossFight: bossFight)
        #expect(report.conditions.flatMap(\.faults) == [])
    }

    @Test func `all conditions hold for a lost journey and a lost fight`() throws {
        let journey = try firstLost { try PureStorySimulation.play(in: "meadow", seed: $0) }
        let fight = try firstLost { try PureStorySimulation.play(against: "glitch", seed: $0) }
        #expect(StoryCheck.report(journey: journey, bossFight: fight).conditions.flatMap(\.faults) == [])
    }

    /// Returns the first lost adventure of many seeds, since good players seldom lose.
    private func firstLost(_ play: (UInt64) throws -> AdventureEvidence) throws -> AdventureEvidence {
        var lost: AdventureEvidence?
        for seed in 0..<500 as Range<UInt64> where lost == nil {
            let evidence = try play(seed)
            if evidence.adventure.outcome?.value == .partyWiped { lost = evidence }
        }
        return try #require(lost)
    }
}
