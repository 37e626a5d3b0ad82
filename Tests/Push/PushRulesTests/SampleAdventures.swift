import Foundation
import GameCore

let spouty = Seat(rawValue: 0)
let ember = Seat(rawValue: 1)

extension Adventure {
    /// A fight of Spouty and Ember against Glitch, before its start.
    static let sampleFight = Adventure.bossFight(against: "glitch", heroes: heroes(2), seed: 7)
    /// A journey of Spouty and Ember in the first region, before its start.
    static let sampleJourney = Adventure.journey(in: RegionCatalogue.all[0].id, heroes: heroes(2), seed: 7)

    static func heroes(_ count: Int) -> [Hero] {
        let ids: [HeroID] = ["spouty", "ember", "bamboo", "boulder", "hoot", "inky", "prickle", "leap"]
        return ids.prefix(count).map { Hero(playerID: PlayerID(rawValue: UUID()), id: $0, level: 1, potions: 1) }
    }

    /// Plays an adventure to its end, and passes each event with the adventure after its input.
    static func play(_ opening: Adventure, _ each: (AdventureEvent, Adventure) throws -> Void) throws {
        var adventure = opening
        var input = AdventureInput.start
        while adventure.outcome == nil {
            for event in try adventure.advance(input) { try each(event, adventure) }
            input = .tick
        }
    }
}

extension AdventureEvent {
    /// Every event, in every variant that a rule or a sentence distinguishes.
    static let everyVariant: [AdventureEvent] =
        AdventureKind.allCases.map(AdventureEvent.adventureStarted(kind:))
        + RegionCatalogue.all.flatMap(\.beats).map { .storyTold(beat: $0.id) }
        + RegionCatalogue.all.flatMap(\.hazards).map { .hazardStruck(hazard: $0.id) }
        + RegionCatalogue.all.flatMap(\.rests).map { .restTaken(rest: $0.id) }
        + [
            .travelled(location: RegionCatalogue.all[0].locations[0].id), .encounterMet(foe: "ram"),
            .foeStruck(foe: "ram", damage: 21), .encounterWon(foe: "ram"),
        ]
        + Rarity.allCases.map { .lootFound(hero: spouty, item: .potion, rarity: $0) }
        + DamageCause.allCases.map { .heroHurt(hero: spouty, amount: 7, cause: $0) }
        + HealingSource.allCases.map { .heroHealed(hero: spouty, amount: 7, source: $0) }
        + [
            .heroHurt(hero: spouty, amount: 7, cause: .bossAttack, inDanger: true),
            .heroDown(hero: spouty), .heroRevived(hero: spouty, helper: nil),
            .heroRevived(hero: spouty, helper: ember), .heroLevelledUp(hero: spouty, level: 3),
            .bossAppeared(boss: "glitch"), .turnStarted(turn: 1, hero: spouty), .turnStarted(turn: 2, hero: nil),
        ]
        + [0, 12].flatMap { damage in
            HeroAction.allCases.map { .actionTaken(hero: spouty, action: $0, damage: damage) }
        }
        + BossMove.allCases.map { .bossActed(move: $0) }
        + [
            .bossActed(move: .takeAim, target: spouty), .bossHealed(boss: "glitch", amount: 9),
            .bossEnraged(boss: "glitch", phase: 2), .raidProgressed(health: 812, maximum: 4_000),
            .bossDefeated(boss: "glitch"), .partyWiped,
            .memberJoined(hero: spouty), .memberLeft(hero: spouty),
        ]
        + Hindrance.allCases.map { .bossHindered(boss: "glitch", by: $0) }
        + TurnPolicy.allCases.map { .policyChosen(hero: spouty, policy: $0) }
        + AdventureOutcome.allCases.map(AdventureEvent.adventureEnded(outcome:))
}
