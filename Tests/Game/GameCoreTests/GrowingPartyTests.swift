import Testing

@testable import GameCore

/// What the boss and the dangers of the way do when a party grows or shrinks.
struct GrowingPartyTests {
    @Test(arguments: BossCatalogue.all, [1, 4, 7]) func `a newcomer brings the boss what it would have had`(
        entry: BossCatalogue.Entry,
        size: Int
    ) throws {
        let newcomer = GameWorld.hero(9, "zippy", level: 6)
        var fight = try GameWorld.fight(against: entry.id, GameWorld.party(of: size))
        fight.changeFight { $0.boss.health -= 40 }
        let before = try #require(fight.boss)
        let share = entry.healthPerHero * 130 / 100
        #expect(
            try fight.advance(.join(newcomer)) == [
                .memberJoined(hero: Seat(rawValue: size)), .bossHealed(boss: entry.id, amount: share),
            ]
        )
        let boss = try #require(fight.boss)
        #expect(boss.health == before.health + share && boss.maximumHealth == before.maximumHealth + share)
        // But for the blow that it has suffered, it is the boss whom all of them would have met from the beginning.
        var together = BossInPlay(entry.id, facing: fight.heroes)
        together.health -= 40
        #expect(boss == together)
    }

    @Test func `a boss who grows stays enraged, and does what it has announced`() throws {
        var fight = try Adventure(encoded: GoldenState.fight)
        let before = try #require(fight.boss)
        _ = try fight.advance(.join(GameWorld.hero(9)))
        let boss = try #require(fight.boss)
        #expect(boss.health * 100 > boss.maximumHealth * 20, "more than its last phase begins at")
        #expect(boss.phase == 3 && boss.announcement == before.announcement)
        #expect(boss.weakenedTurns == before.weakenedTurns && boss.exposedBlows == before.exposedBlows)
        #expect(fight.turn == Turn(number: 38, hero: .first))
    }

    @Test func `who leaves a fight takes nothing from the boss, and brings nothing when coming back`() throws {
        var fight = try GameWorld.fight(GameWorld.party(of: 3))
        fight.changeFight { $0.boss.health -= 40 }
        let boss = fight.boss
        _ = try fight.advance(.leave(GameWorld.player(1)))
        #expect(fight.boss == boss)
        #expect(try fight.advance(.join(GameWorld.hero(1))) == [.memberJoined(hero: .second)])
        #expect(fight.boss == boss)
    }

    @Test(arguments: RegionCatalogue.all) func `a journey is as dangerous as for those who take part`(
        region: RegionCatalogue.Entry
    ) throws {
        func danger(of journey: Adventure) -> Int? {
            if case .journey(let journey) = journey.scene { journey.dangerPercent } else { nil }
        }
        func danger(for heroes: Hero...) -> Int {
            Journey.dangerPercent(in: region, of: heroes.map { HeroInPlay($0) })
        }
        let weak = GameWorld.hero(0)
        let strong = GameWorld.hero(1, level: 11)
        var journey = try GameWorld.journey(in: region.id, [weak])
        #expect(danger(of: journey) == danger(for: weak))
        _ = try journey.advance(.join(strong))
        #expect(danger(of: journey) == danger(for: weak, strong))
        _ = try journey.advance(.leave(weak.playerID))
        #expect(danger(of: journey) == danger(for: strong))
        _ = try journey.advance(.join(weak))
        #expect(danger(of: journey) == danger(for: weak, strong))
        #expect(Set([danger(for: weak), danger(for: strong), danger(for: weak, strong)]).count == 3)
    }
}
