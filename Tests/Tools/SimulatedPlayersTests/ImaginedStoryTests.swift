import GameCore
import RangersClient
import Testing

@testable import SimulatedPlayers

@Suite struct ImaginedStoryTests {
    /// Every region and every boss.
    @Test(arguments: 0..<30)
    func `whole stories hold, however they end`(seed: UInt64) throws {
        let region = RegionCatalogue.all[Int(seed) % RegionCatalogue.all.count].id
        let boss = BossCatalogue.all[Int(seed) % BossCatalogue.all.count].id
        let journey = try ImaginedAdventure.play(in: region, seed: seed)
        let bossFight = try ImaginedAdventure.play(against: boss, seed: seed)
        let report = StoryCheck.report(journey: journey, bossFight: bossFight)
        #expect(report.conditions.flatMap(\.faults) == [])
    }

    @Test func `a story that is lost from its beginning to its end holds as well`() throws {
        let journey = try firstLost { try ImaginedAdventure.play(in: "meadow", seed: $0) }
        let fight = try firstLost { try ImaginedAdventure.play(against: "glitch", seed: $0) }
        #expect(StoryCheck.report(journey: journey, bossFight: fight).conditions.flatMap(\.faults) == [])
    }

    /// Good players seldom lose, so it takes some tries.
    private func firstLost(_ play: (UInt64) throws -> AdventureEvidence) throws -> AdventureEvidence {
        var lost: AdventureEvidence?
        for seed in 0..<500 as Range<UInt64> where lost == nil {
            let evidence = try play(seed)
            if evidence.adventure.outcome?.value == .partyWiped { lost = evidence }
        }
        return try #require(lost)
    }
}
