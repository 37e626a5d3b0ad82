import Testing

@testable import GameCore

struct JourneyTests {
    private let spouty = GameWorld.player(0)

    /// Returns a journey of two heroes, of which the first is hurt but not down.
    private func hurtJourney(potions: Int = 2) throws -> Adventure {
        var journey = try GameWorld.journey([
            GameWorld.hero(0, "spouty", potions: potions), GameWorld.hero(1, "bamboo", potions: potions),
        ])
        while journey.heroes[0].health == journey.heroes[0].maximumHealth || journey.heroes[0].isDown {
            _ = try journey.advance(.tick)
        }
        return journey
    }

    @Test func `a journey begins at the region's first location and ends at its goal`() throws {
        var journey = Adventure.journey(in: "coast", heroes: GameWorld.party(of: 4), seed: 3)
        #expect(journey.kind == .journey)
        #expect(journey.region == "coast")
        #expect(journey.location == "fishing-village")
        #expect(journey.status == .ready)
        #expect(journey.boss == nil && journey.turn == nil && journey.foe == nil)
        #expect(try journey.advance(.start) == [.adventureStarted(kind: .journey)])
        #expect(journey.status == .running)
        #expect(journey.progress?.step == 0)

        var events: [AdventureEvent] = []
        while journey.status == .running {
            for seat in journey.heroes.indices { journey.heroes[seat].health = journey.heroes[seat].maximumHealth }
            events += try journey.advance(.tick)
        }
        #expect(events.last == .adventureEnded(outcome: .completed))
        #expect(events.filter { $0 == .travelled(location: "lighthouse") }.count == 1)
        #expect(journey.status == .ended(.completed))
        #expect(journey.outcome == .completed)
        #expect(journey.tick == journey.progress?.steps)
        #expect(journey.progress?.step == journey.progress?.steps)
        #expect(journey.sequence == events.count + 1)
    }

    @Test func `a potion heals at once and takes no step`() throws {
        var journey = try hurtJourney()
        let before = journey
        let missing = before.heroes[0].maximumHealth - before.heroes[0].health
        let amount = min(39, missing)

        let events = try journey.advance(.command(.potion(target: nil), by: spouty))
        #expect(events == [.heroHealed(hero: .first, amount: amount, source: .potion)])
        #expect(journey.heroes[0].health == before.heroes[0].health + amount)
        #expect(journey.heroes[0].potions == before.heroes[0].potions - 1)
        #expect(journey.tick == before.tick)
        #expect(journey.progress == before.progress)
    }

    @Test func `a hero can give a potion to a companion`() throws {
        var journey = try hurtJourney()
        let potions = journey.heroes.map(\.potions)
        _ = try journey.advance(.command(.potion(target: .first), by: GameWorld.player(1)))
        #expect(journey.heroes.map(\.potions) == [potions[0], potions[1] - 1])
    }

    @Test func `a companion's potion revives a hero who is down`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 2))
        journey.heroes[0].health = 0
        let events = try journey.advance(.command(.potion(target: .first), by: GameWorld.player(1)))
        #expect(
            events == [
                .heroRevived(hero: .first, helper: .second),
                .heroHealed(hero: .first, amount: journey.heroes[0].maximumHealth * 35 / 100, source: .potion),
            ]
        )
        #expect(!journey.heroes[0].isDown)
    }

    @Test func `a companion with a potion eventually revives a hero without a command`() throws {
        var helped = 0
        for seed in GameWorld.seeds {
            var journey = try GameWorld.journey(GameWorld.party(of: 2), seed: seed)
            journey.heroes[0].health = 0
            helped += try journey.playOut().contains(.heroRevived(hero: .first, helper: .second)) ? 1 : 0
        }
        #expect(helped > GameWorld.seeds.count / 2)
    }

    @Test func `finding a potion adds to the hero's potions`() throws {
        let found = try GameWorld.seeds.contains { seed in
            var journey = try GameWorld.journey([GameWorld.hero(0, potions: 0)], seed: seed)
            while journey.status == .running {
                let events = try journey.advance(.tick)
                let potions = events.filter {
                    if case .lootFound(.first, .potion, _) = $0 { true } else { false }
                }
                if !potions.isEmpty { return journey.heroes[0].potions == 1 }
            }
            return false
        }
        #expect(found)
    }

    @Test func `a lone hero who goes down ends the journey`() throws {
        var ended = 0
        for seed in GameWorld.seeds {
            var journey = try GameWorld.journey(in: "peaks", GameWorld.party(of: 1), seed: seed)
            journey.heroes[0].health = 1
            let events = try journey.playOut()
            guard events.contains(.heroDown(hero: .first)) else { continue }
            ended += 1
            #expect(events.suffix(3) == [.heroDown(hero: .first), .partyWiped, .adventureEnded(outcome: .partyWiped)])
        }
        #expect(ended > 0)
    }
}
