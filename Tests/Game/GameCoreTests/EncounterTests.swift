import Testing

@testable import GameCore

/// The course of a journey: its acts, story, foes, hazards and rests.
struct EncounterTests {
    /// Plays a journey of four heroes to its goal, healing them before each step, and reports each step.
    private static func play(
        in region: RegionCatalogue.Entry,
        seed: UInt64,
        _ report: (_ before: Journey, _ after: Adventure, _ events: [AdventureEvent]) -> Void
    ) throws {
        var adventure = try GameWorld.journey(in: region.id, GameWorld.party(of: 4, from: Int(seed)), seed: seed)
        while case .journey(let journey) = adventure.scene, adventure.status == .running {
            for seat in adventure.heroes.indices {
                adventure.heroes[seat].health = adventure.heroes[seat].maximumHealth
            }
            let events = try adventure.advance(.tick)
            report(journey, adventure, events)
        }
        #expect(adventure.outcome == .completed)
    }

    @Test(arguments: RegionCatalogue.all) func `a journey takes the ticks of its region, 40 to 120`(
        region: RegionCatalogue.Entry
    ) {
        let steps = (UInt64(1)...300).compactMap {
            Adventure.journey(in: region.id, heroes: GameWorld.party(of: 1), seed: $0).progress?.steps
        }
        #expect(Set(steps) == Set(region.steps))
        #expect(region.steps.lowerBound >= 40 && region.steps.upperBound <= 120)
    }

    @Test func `danger is low in the beginning, rises through the middle and is low at the end`() throws {
        let adventure = try GameWorld.journey(GameWorld.party(of: 4))
        guard case .journey(var journey) = adventure.scene else { return }
        var acts: [Journey.Act] = []
        var dangers: [Journey.Act: [Int]] = [:]
        for step in 0...journey.steps {
            journey.step = step
            if acts.last != journey.act { acts.append(journey.act) }
            dangers[journey.act, default: []].append(journey.currentDangerPercent)
        }
        #expect(acts == [.beginning, .middle, .end])
        let middle = try #require(dangers[.middle])
        #expect(middle == middle.sorted())
        let (first, last) = (try #require(middle.first), try #require(middle.last))
        #expect(last * 100 > first * 130)
        #expect(dangers[.beginning]?.allSatisfy { $0 < first } == true)
        #expect(dangers[.end]?.allSatisfy { $0 < first } == true)
    }

    @Test(arguments: RegionCatalogue.all) func `damage grows during the middle of a journey`(
        region: RegionCatalogue.Entry
    ) throws {
        var early = (blows: 0, amount: 0)
        var late = (blows: 0, amount: 0)
        for seed in GameWorld.seeds {
            try Self.play(in: region, seed: seed) { before, _, events in
                for amount in events.compactMap(\.hurtAmount) {
                    if before.act == .beginning { early = (early.blows + 1, early.amount + amount) }
                    if before.act == .middle, before.step * 4 > before.steps * 3 {
                        late = (late.blows + 1, late.amount + amount)
                    }
                }
            }
        }
        #expect(late.amount * early.blows * 100 > early.amount * late.blows * 140)
    }

    @Test(arguments: RegionCatalogue.all)
    func `each beat of the story is reached once, in order and not before its time`(
        region: RegionCatalogue.Entry
    ) throws {
        for seed in GameWorld.seeds {
            var beats: [BeatID] = []
            try Self.play(in: region, seed: seed) { before, _, events in
                guard case .storyTold(let beat) = events.first else { return }
                let progress = region.beats.first { $0.id == beat }?.progressPercent ?? 0
                #expect((before.step + 1) * 100 >= progress * before.steps)
                #expect(before.encounter == nil)
                beats.append(beat)
            }
            #expect(beats == region.beats.map(\.id), "seed \(seed)")
        }
    }

    @Test(arguments: RegionCatalogue.all) func `a foe strikes first and falls after at most four strikes`(
        region: RegionCatalogue.Entry
    ) throws {
        var lengths: Set<Int> = []
        for seed in GameWorld.seeds {
            var strikes = 0
            try Self.play(in: region, seed: seed) { before, after, events in
                switch events.first {
                case .encounterMet(let foe):
                    strikes = 0
                    #expect(after.foe == foe)
                    #expect(events.contains { if case .heroHurt(_, _, .encounter, _) = $0 { true } else { false } })
                    #expect(before.act != .end || before.step * 10 + 10 < before.steps * 9)
                case .foeStruck(let foe, let damage):
                    strikes += 1
                    #expect(before.encounter?.foe == foe && damage <= before.encounter?.health ?? 0)
                    let isWon = events.contains(.encounterWon(foe: foe))
                    #expect((after.foe == nil) == isWon)
                    #expect(!isWon || events.compactMap(\.hurtAmount) == [])
                    if isWon { lengths.insert(strikes) }
                default:
                    #expect(
                        before.encounter == nil || after.status != .running,
                        "an encounter excludes other happenings"
                    )
                }
            }
        }
        #expect(lengths.isSubset(of: [1, 2, 3, 4]) && lengths.count >= 3, "\(lengths)")
    }

    @Test func `even the weakest party beats a foe in four steps`() throws {
        var journey = try GameWorld.journey(GameWorld.heroes("prickle"))
        journey.changeJourney {
            $0.step = 10
            $0.encounter = Journey.Encounter(foe: "ram", health: 1_000, maximumHealth: 1_000)
        }
        for left in [750, 500, 250] {
            journey.heroes[0].health = journey.heroes[0].maximumHealth
            #expect(try journey.advance(.tick).first == .foeStruck(foe: "ram", damage: 250))
            guard case .journey(let scene) = journey.scene else { return }
            #expect(scene.encounter?.health == left)
        }
        #expect(
            try journey.advance(.tick).prefix(2) == [
                .foeStruck(foe: "ram", damage: 250), .encounterWon(foe: "ram"),
            ]
        )
        #expect(journey.heroes[0].experience == 10)
    }

    @Test(arguments: RegionCatalogue.all) func `there are no encounters near the goal`(
        region: RegionCatalogue.Entry
    ) throws {
        var steps = 0
        for seed in UInt64(1)...60 {
            try Self.play(in: region, seed: seed) { before, after, events in
                guard case .journey(let journey) = after.scene, journey.act == .end else { return }
                steps += 1
                #expect(events.allSatisfy { $0.kind != "encounterMet" })
                if before.encounter == nil { #expect(after.foe == nil) }
            }
        }
        #expect(steps > 200)
    }

    @Test(arguments: 1...8) func `a hazard hits at least one hero and never all of several`(size: Int) throws {
        var reached: Set<Int> = []
        for seed in UInt64(1)...40 {
            var journey = try GameWorld.journey(in: "peaks", GameWorld.party(of: size), seed: seed)
            while journey.status == .running {
                for seat in journey.heroes.indices { journey.heroes[seat].health = journey.heroes[seat].maximumHealth }
                let events = try journey.advance(.tick)
                guard case .hazardStruck = events.first else { continue }
                let hurt = events.compactMap {
                    if case .heroHurt(let hero, _, .hazard, _) = $0 { hero } else { nil }
                }
                #expect(Set(hurt).count == hurt.count)
                reached.insert(hurt.count)
            }
        }
        #expect(reached == Set(1...max(size - 1, 1)))
    }

    @Test func `a rest heals hurt heroes and revives one in three who are down`() throws {
        var journey = try GameWorld.journey(GameWorld.heroes("spouty", "boulder", "hoot"))
        journey.heroes[0].health = 50
        journey.heroes[1].health = 0
        for seat in journey.heroes.indices { journey.heroes[seat].potions = 0 }
        journey.changeJourney {
            $0.step = 10
            $0.beatsReached = 1
        }
        let rests = try GameWorld.outcomes(of: .tick, in: journey, seeds: 1...1_000).filter {
            $0.events.first?.kind == "restTaken"
        }
        let region = try #require(RegionCatalogue["meadow"])
        var revived = 0
        for (after, events) in rests {
            guard case .restTaken(let id) = events.first, let rest = region.rests.first(where: { $0.id == id }) else {
                Issue.record("unknown rest")
                continue
            }
            let percent = (after.heroes[0].health - 50) * 100
            #expect(percent > (rest.healingPercent.lowerBound - 1) * 112)
            #expect(percent <= rest.healingPercent.upperBound * 112)
            #expect(after.heroes[2] == journey.heroes[2])
            #expect(events.contains(.heroRevived(hero: .second, helper: nil)) == !after.heroes[1].isDown)
            revived += after.heroes[1].isDown ? 0 : 1
        }
        // The rate is 1/3; the tolerance is four standard deviations.
        let deviation = 4 * (Double(rests.count) * 2 / 9).squareRoot()
        #expect(abs(Double(revived) - Double(rests.count) / 3) < deviation, "\(revived) of \(rests.count)")
    }

    @Test func `an unhurt party does not rest`() throws {
        let journey = try GameWorld.journey(GameWorld.party(of: 4))
        let first = try GameWorld.outcomes(of: .tick, in: journey).map(\.events)
        #expect(first.allSatisfy { $0.first?.kind != "restTaken" })
    }

    @Test func `loot follows the rarities, goes to standing heroes and gives experience`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 3))
        journey.heroes[1].health = 0
        var counts: [Rarity: Int] = [:]
        for (after, events) in try GameWorld.outcomes(of: .tick, in: journey, seeds: 1...4_000) {
            guard case .lootFound(let hero, let item, let rarity) = events.first else { continue }
            counts[rarity, default: 0] += 1
            #expect(hero != .second)
            let experience =
                switch rarity {
                case .common: 6
                case .rare: 15
                case .epic: 40
                }
            #expect(after.heroes[hero].experience == experience)
            // The finder may have revived the hero who is down with a potion.
            let given = events.contains(.heroRevived(hero: .second, helper: hero)) ? 1 : 0
            #expect(after.heroes[hero].potions == 2 + (item == .potion ? 1 : 0) - given)
        }
        let all = counts.values.reduce(0, +)
        #expect(all > 700)
        #expect((68...76).contains(counts[.common, default: 0] * 100 / all), "\(counts)")
        #expect((19...27).contains(counts[.rare, default: 0] * 100 / all), "\(counts)")
        #expect((3...8).contains(counts[.epic, default: 0] * 100 / all), "\(counts)")
    }

    @Test func `all heroes who take part gain experience at the goal, even when down`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 3))
        journey.heroes[1].health = 0
        _ = try journey.advance(.leave(GameWorld.player(2)))
        journey.changeJourney { $0.step = $0.steps - 1 }
        #expect(
            try journey.advance(.tick) == [
                .travelled(location: "windmill"), .adventureEnded(outcome: .completed),
            ]
        )
        #expect(journey.heroes.map(\.experience) == [60, 60, 0])
    }

    @Test func `reaching the goal ends an encounter`() throws {
        var journey = try GameWorld.journey(GameWorld.party(of: 2))
        journey.changeJourney {
            $0.step = $0.steps - 1
            $0.encounter = Journey.Encounter(foe: "ram", health: 5, maximumHealth: 5)
        }
        _ = try journey.advance(.tick)
        #expect(journey.outcome == .completed && journey.foe == nil)
    }
}
