import Encodings
import GameCore
import Simulation
import Testing

/// How a shard follows the decisions about a raid.
struct FollowerRaidTests {
    @Test func `a decision shows the common boss in the fights of its raid, and a victory ends them`() throws {
        let shard = try expectTranscript(
            playing: ["raid", "fight"],
            """
            1 register A raid 0 | send A p5 newToken #1
            1 register B fight 0 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            9 decision 1 400 | send A p10 turn #3
            9.1 ok #3 | -
            12 decision 2 0 | send A p10 bossDefeated #4
            12.1 ok #4 | wait minimumSpacing; wake 13.0
            13 look | send A p10 end #5
            """
        )
        #expect(shard.payload(of: 2).contains("Cinderwing") && shard.payload(of: 2).contains("0.4"))
    }
}

extension RaidDecision {
    /// A decision about a raid against a boss of 1,000 health.
    static func numbered(_ number: Int, healthLeft: Int, at moment: Timestamp) -> Self {
        var generator = SeededIDs()
        let blow = RaidBlow(at: moment, adventureID: generator.adventure(), sequence: 1, damage: 1)
        return Self(
            number: number,
            round: number,
            roundEnd: moment,
            healthLeft: healthLeft,
            maximumHealth: 1_000,
            phase: 1,
            parties: 1,
            dealt: 1_000 - healthLeft,
            listsBlows: false,
            outcome: healthLeft == 0 ? .defeated(by: blow) : nil
        )
    }
}
