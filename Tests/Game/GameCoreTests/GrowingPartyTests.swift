import Testing

@testable import GameCore

/// The scaling of bosses and dangers when a party grows or shrinks.
struct GrowingPartyTests {
    @Test(arguments: BossCatalogue.all, [1, 4, 7]) func `a newcomer scales the boss as if present from the beginning`(
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
        // Apart from the lost health, the boss equals one that faced all heroes from the beginning.
        var together = BossInPlay(entry.id, facing: fight.heroes, under: fight.rules)
        together.health -= 40
        #expect(boss == together)
    }

    @Test func `a boss that gains health stays in its phase and keeps its announcement`() throws {
        var fight = try Adventure(encoded: GoldenState.fight)
        let before = try #require(fight.boss)
        _ = try fight.advance(.join(GameWorld.hero(9)))
        let boss = try #require(fight.boss)
        #expect(boss.health * 100 > boss.maximumHealth * 20, "the health is above the threshold of the last phase")
        #expect(boss.phase == 3 && boss.announcement == before.announcement)
        #expect(boss.weakenedTurns == before.weakenedTurns && boss.exposedBlows == before.exposedBlows)
        #expect(fight.turn == Turn(number: 38, hero: .first))
    }

    @Test func `leaving a fight and returning do not change the boss`() throws {
        var fight = try GameWorld.fight(GameWorld.party(of: 3))
        fight.changeFight { $0.boss.health -= 40 }
        let boss = fight.boss
        _ = try fight.advance(.leave(GameWorld.player(1)))
        #expect(fight.boss == boss)
        #expect(try fight.advance(.join(GameWorld.hero(1))) == [.memberJoined(hero: .second)])
        #expect(fight.boss == boss)
    }

    @Test(arguments: RegionCatalogue.all) func `the danger of a journey depends on the heroes who take part`(
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
