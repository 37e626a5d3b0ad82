import Testing

@testable import GameCore

/// Experience and levels.
struct ExperienceTests {
    @Test func `each level costs 100 more than the previous one`() {
        #expect((1...5).map(Hero.experience(forLevel:)) == [0, 100, 300, 600, 1_000])
        for level in 2..<Hero.maxLevel {
            let cost = Hero.experience(forLevel: level) - Hero.experience(forLevel: level - 1)
            #expect(Hero.experience(forLevel: level + 1) - Hero.experience(forLevel: level) == cost + 100)
        }
    }

    @Test(arguments: 1...Hero.maxLevel) func `a level begins exactly at its experience`(level: Int) {
        let experience = Hero.experience(forLevel: level)
        #expect(Hero.level(forExperience: experience) == level)
        #expect(Hero.level(forExperience: experience - 1) == max(level - 1, 1))
    }

    @Test func `no hero exceeds the highest level`() throws {
        #expect(Hero.level(forExperience: .max) == Hero.maxLevel)
        var journey = try GameWorld.journey([GameWorld.hero(0, level: Hero.maxLevel - 1)])
        var events: [AdventureEvent] = []
        journey.gain(2_000, by: .first, &events)
        journey.gain(2_000, by: .first, &events)
        #expect(events == [.heroLevelledUp(hero: .first, level: Hero.maxLevel)])
    }

    @Test func `each level gained has an event`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 1))
        var events: [AdventureEvent] = []
        journey.gain(99, by: .first, &events)
        #expect(events == [])
        journey.gain(201, by: .first, &events)
        #expect(events == [.heroLevelledUp(hero: .first, level: 2), .heroLevelledUp(hero: .first, level: 3)])
        #expect(journey.heroes[0].experience == 300 && journey.heroes[0].level == 3)
    }

    @Test func `a level gained makes the hero stronger from the next adventure on`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 1))
        let before = journey.heroes[0]
        var events: [AdventureEvent] = []
        journey.gain(300, by: .first, &events)
        let after = journey.heroes[0]
        #expect(after.startingLevel == 1)
        #expect(after.strengths == before.strengths && after.maximumHealth == before.maximumHealth)

        let next = HeroInPlay(
            Hero(playerID: after.playerID, id: after.id, experience: after.experience, potions: Hero.openingPotions)
        )
        #expect(next.startingLevel == 3 && next.level == 3 && next.experience == 300)
        #expect(next.maximumHealth > after.maximumHealth && next.health == next.maximumHealth)
        #expect(next.strengths.attackHundredths > after.strengths.attackHundredths)
    }

    @Test(arguments: HeroCatalogue.all) func `each level adds 6 % to all strengths except speed`(
        hero: HeroCatalogue.Entry
    ) {
        for level in 1...Hero.maxLevel {
            let inPlay = HeroInPlay(GameWorld.hero(0, hero.id, level: level))
            let growth = 94 + 6 * level
            #expect(inPlay.maximumHealth == hero.maximumHealth * growth / 100)
            #expect(inPlay.strengths.attackHundredths == hero.attack * growth)
            #expect(inPlay.strengths.defenceHundredths == hero.defence * growth)
            #expect(inPlay.strengths.speed == hero.speed)
        }
    }

    @Test func `levels out of range are programming errors`() async {
        await #expect(processExitsWith: .failure) { _ = Hero.experience(forLevel: 0) }
        await #expect(processExitsWith: .failure) { _ = Hero.experience(forLevel: Hero.maxLevel + 1) }
    }
}
