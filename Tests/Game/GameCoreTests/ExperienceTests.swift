import Testing

@testable import GameCore

/// Levels: what they cost, what they bring, and that they carry.
struct ExperienceTests {
    @Test func `each level costs a hundred more than the one before`() {
        #expect((1...5).map(Hero.experience(forLevel:)) == [0, 100, 300, 600, 1_000])
        for level in 2..<Hero.highestLevel {
            let cost = Hero.experience(forLevel: level) - Hero.experience(forLevel: level - 1)
            #expect(Hero.experience(forLevel: level + 1) - Hero.experience(forLevel: level) == cost + 100)
        }
    }

    @Test(arguments: 1...Hero.highestLevel) func `a level begins with its experience, to the point`(level: Int) {
        let experience = Hero.experience(forLevel: level)
        #expect(Hero.level(forExperience: experience) == level)
        #expect(Hero.level(forExperience: experience - 1) == max(level - 1, 1))
    }

    @Test func `nobody grows beyond the highest level`() throws {
        #expect(Hero.level(forExperience: .max) == Hero.highestLevel)
        var journey = try GameWorld.journey([GameWorld.hero(0, level: Hero.highestLevel - 1)])
        var events: [Event] = []
        journey.gain(2_000, by: .first, &events)
        journey.gain(2_000, by: .first, &events)
        #expect(events == [.heroLevelledUp(hero: .first, level: Hero.highestLevel)])
    }

    @Test func `each level on the way is told`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 1))
        var events: [Event] = []
        journey.gain(99, by: .first, &events)
        #expect(events == [])
        journey.gain(201, by: .first, &events)
        #expect(events == [.heroLevelledUp(hero: .first, level: 2), .heroLevelledUp(hero: .first, level: 3)])
        #expect(journey.heroes[0].experience == 300 && journey.heroes[0].level == 3)
    }

    @Test func `a level makes stronger from the next adventure on`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 1))
        let before = journey.heroes[0]
        var events: [Event] = []
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

    @Test(arguments: HeroCatalogue.all) func `each level adds six percent, and speed stays`(hero: HeroCatalogue.Entry) {
        for level in 1...Hero.highestLevel {
            let inPlay = HeroInPlay(GameWorld.hero(0, hero.id, level: level))
            let growth = 94 + 6 * level
            #expect(inPlay.maximumHealth == hero.maximumHealth * growth / 100)
            #expect(inPlay.strengths.attackHundredths == hero.attack * growth)
            #expect(inPlay.strengths.defenceHundredths == hero.defence * growth)
            #expect(inPlay.strengths.speed == hero.speed)
        }
    }

    @Test func `a level that no hero has costs nothing that could be told`() async {
        await #expect(processExitsWith: .failure) { _ = Hero.experience(forLevel: 0) }
        await #expect(processExitsWith: .failure) { _ = Hero.experience(forLevel: Hero.highestLevel + 1) }
    }
}
