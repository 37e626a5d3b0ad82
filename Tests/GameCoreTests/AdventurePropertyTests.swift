import Testing

@testable import GameCore

/// What holds for every adventure, whatever its players do.
struct AdventurePropertyTests {
    @Test(arguments: AdventureKind.allCases, 1...8)
    func `whatever players do, the rules of the game hold`(kind: AdventureKind, size: Int) throws {
        for seed in GameWorld.seeds {
            var play = RandomPlay(GameWorld.opening(kind, heroes: size, seed: seed), seed: seed)
            try play.playOut()
            #expect(play.flaws == [], "seed \(seed)")
        }
    }

    @Test(arguments: AdventureKind.allCases, 1...8)
    func `the same opening and inputs give the same events and state`(kind: AdventureKind, size: Int) throws {
        for seed in GameWorld.seeds {
            let opening = GameWorld.opening(kind, heroes: size, seed: seed)
            var play = RandomPlay(opening, seed: seed)
            try play.playOut()
            let (adventure, events) = try Adventure.replay(opening, inputs: play.inputs)
            #expect(adventure == play.adventure, "seed \(seed)")
            #expect(events == play.events, "seed \(seed)")
        }
    }

    @Test func `a replay of foreign inputs is refused`() throws {
        let opening = GameWorld.opening(.journey, heroes: 2, seed: 1)
        #expect(throws: Refusal.noBoss) {
            try Adventure.replay(opening, inputs: [.start, .command(.attack, by: GameWorld.player(0))])
        }
    }

    @Test(arguments: AdventureKind.allCases) func `another seed is another adventure`(kind: AdventureKind) throws {
        let logs = try Set(
            (UInt64(1)...50).map { seed in
                let heroes = GameWorld.party(of: 3)
                var adventure =
                    switch kind {
                    case .journey: Adventure.journey(in: "coast", heroes: heroes, seed: seed)
                    case .bossFight: Adventure.bossFight(against: "glitch", heroes: heroes, seed: seed)
                    }
                return try adventure.advance(.start) + adventure.playOut()
            }
        )
        #expect(logs.count == 50)
    }

    @Test func `nearly every journey of four brings something of everything`() throws {
        var complete = 0
        var withDown = 0
        var reached = 0
        for seed in UInt64(1)...200 {
            var journey = GameWorld.opening(.journey, heroes: 4, seed: seed)
            let kinds = Set(try (journey.advance(.start) + journey.playOut()).map(\.kind))
            complete += kinds.isSuperset(of: ["travelled", "lootFound", "heroHurt", "heroHealed"]) ? 1 : 0
            withDown += kinds.contains("heroDown") ? 1 : 0
            reached += journey.outcome == .completed ? 1 : 0
        }
        #expect(complete >= 190)
        #expect((70...140).contains(withDown), "\(withDown)")
        #expect(reached >= 180)
    }

    @Test(arguments: BossCatalogue.all) func `a party of four wins most fights, not all`(
        boss: BossCatalogue.Entry
    ) throws {
        var won = 0
        for seed in UInt64(1)...200 {
            let heroes = GameWorld.party(of: 4, from: Int(seed))
            var fight = try GameWorld.fight(against: boss.id, heroes, seed: seed)
            _ = try fight.playOut()
            won += fight.outcome == .bossDefeated ? 1 : 0
            #expect((20...70).contains(fight.tick))
        }
        #expect((110...180).contains(won), "\(won)")
    }
}
