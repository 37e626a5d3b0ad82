import Encodings

@testable import GameCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Players, parties and adventures for tests.
enum GameWorld {
    static let seeds: [UInt64] = Array(1...25)

    /// Returns a player by number, 0…255.
    static func player(_ number: Int) -> PlayerID {
        PlayerID(rawValue: UUID(bytes: [0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)]))
    }

    static func hero(_ number: Int, _ id: HeroID = "spouty", level: Int = 1, potions: Int = 2) -> Hero {
        Hero(playerID: player(number), id: id, level: level, potions: potions)
    }

    /// Returns a party of the players 0, 1, 2 … with the given heroes.
    static func heroes(_ ids: HeroID...) -> [Hero] {
        ids.enumerated().map { hero($0.offset, $0.element) }
    }

    /// Returns a party of the players 0, 1, 2 … with heroes from across the catalogue.
    static func party(of size: Int, from first: Int = 0) -> [Hero] {
        let all = HeroCatalogue.all
        return (0..<size).map { hero($0, all[(first + 3 * $0) % all.count].id) }
    }

    /// Returns an adventure whose content and party depend on the seed.
    static func opening(
        _ kind: AdventureKind,
        heroes size: Int,
        seed: UInt64,
        rules: RulesVersion = .current
    ) -> Adventure {
        let heroes = party(of: size, from: Int(seed % 10))
        switch kind {
        case .journey:
            let regions = RegionCatalogue.all
            return .journey(in: regions[Int(seed) % regions.count].id, heroes: heroes, seed: seed, rules: rules)
        case .bossFight:
            let bosses = BossCatalogue.all
            return .bossFight(against: bosses[Int(seed) % bosses.count].id, heroes: heroes, seed: seed, rules: rules)
        case .raid:
            let bosses = BossCatalogue.all
            let raid = raid(against: bosses[Int(seed) % bosses.count].id)
            return .raid(raid, heroes: heroes, seed: seed, rules: max(rules, .raids))
        }
    }

    /// The identifier of an adventure.
    static let adventureID = AdventureID(rawValue: player(200).rawValue)

    /// Returns what fights in a raid of the given health begin with.
    static func raid(against boss: BossID, health: Int = 5_000) -> RaidOpening {
        RaidOpening(
            raidID: RaidID(rawValue: player(201).rawValue),
            boss: boss,
            maximumHealth: health,
            healthLeft: health,
            phase: 1,
            decision: 0,
            dealtBefore: 0,
            countsFrom: Timestamp(epochSeconds: 0)
        )
    }

    /// Returns a running fight.
    static func fight(against boss: BossID = "glitch", _ heroes: [Hero], seed: UInt64 = 1) throws -> Adventure {
        var fight = Adventure.bossFight(against: boss, heroes: heroes, seed: seed)
        _ = try fight.advance(.start)
        return fight
    }

    /// Returns a running journey.
    static func journey(in region: RegionID = "meadow", _ heroes: [Hero], seed: UInt64 = 1) throws -> Adventure {
        var journey = Adventure.journey(in: region, heroes: heroes, seed: seed)
        _ = try journey.advance(.start)
        return journey
    }
}

extension Adventure {
    /// Ticks until the adventure ends, and returns the events.
    mutating func playOut() throws -> [AdventureEvent] {
        var events: [AdventureEvent] = []
        while status == .running {
            events += try advance(.tick)
        }
        return events
    }

    /// Returns the refusal of an input, or nil if it is accepted, without changing the adventure.
    func refusal(of input: AdventureInput) -> AdventureRefusal? {
        var copy = self
        do {
            _ = try copy.advance(input)
            return nil
        } catch {
            return error
        }
    }

    /// Changes the state of a fight directly.
    mutating func changeFight(_ change: (inout BossFight) -> Void) {
        guard case .bossFight(var fight) = scene else { return }
        change(&fight)
        scene = .bossFight(fight)
    }

    /// Changes the state of a journey directly.
    mutating func changeJourney(_ change: (inout Journey) -> Void) {
        guard case .journey(var journey) = scene else { return }
        change(&journey)
        scene = .journey(journey)
    }

    /// Opens the turn of a hero, or of the boss if nil, regardless of the turn order.
    mutating func giveTurn(to hero: Seat?) {
        changeFight { $0.turn = Turn(number: $0.turn?.number ?? 1, hero: hero) }
    }
}

extension GameWorld {
    /// Returns whether a blow of a level 1 hero can deal some damage: none, the attack ±20 %, or 175 % of that.
    ///
    /// `percent` scales the attack by the strength of the blow and the element.
    static func isBlow(_ damage: Int, by hero: HeroID, percent: Int) -> Bool {
        let attack = (HeroCatalogue[hero]?.attack ?? 0) * percent
        let strengths = attack * 80...attack * 120
        func rounded(_ strength: Int) -> Int { (strength + 5_000) / 10_000 }
        let plain = rounded(strengths.lowerBound)...rounded(strengths.upperBound)
        let critical = rounded(strengths.lowerBound * 7 / 4)...rounded(strengths.upperBound * 7 / 4)
        return damage == 0 || plain.contains(damage) || critical.contains(damage)
    }

    /// Returns the results of an input for many generator states.
    static func outcomes(
        of input: AdventureInput,
        in adventure: Adventure,
        seeds: ClosedRange<UInt64> = 1...200
    ) throws -> [(adventure: Adventure, events: [AdventureEvent])] {
        try seeds.map { seed in
            var copy = adventure
            copy.generator = Generator(seed: seed)
            let events = try copy.advance(input)
            return (copy, events)
        }
    }
}

extension Seat {
    static let first = Self(rawValue: 0)
    static let second = Self(rawValue: 1)
    static let third = Self(rawValue: 2)
}
