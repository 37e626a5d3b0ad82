@testable import GameCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Players, parties and adventures that tests play with.
enum GameWorld {
    static let seeds: [UInt64] = Array(1...25)

    /// The player of a number below 256.
    static func player(_ number: Int) -> PlayerID {
        PlayerID(rawValue: UUID(bytes: [0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)]))
    }

    static func hero(_ number: Int, _ id: HeroID = "spouty", level: Int = 1, potions: Int = 2) -> Hero {
        Hero(playerID: player(number), id: id, level: level, potions: potions)
    }

    /// A party of players 0, 1, 2 … with heroes from all over the catalogue.
    static func party(of size: Int, from first: Int = 0) -> [Hero] {
        let all = HeroCatalogue.all
        return (0..<size).map { hero($0, all[(first + 3 * $0) % all.count].id) }
    }

    /// An adventure of either kind, with content and party chosen by the seed.
    static func opening(_ kind: AdventureKind, heroes size: Int, seed: UInt64) -> Adventure {
        let heroes = party(of: size, from: Int(seed % 10))
        switch kind {
        case .journey:
            let regions = RegionCatalogue.all
            return .journey(in: regions[Int(seed) % regions.count].id, heroes: heroes, seed: seed)
        case .bossFight:
            let bosses = BossCatalogue.all
            return .bossFight(against: bosses[Int(seed) % bosses.count].id, heroes: heroes, seed: seed)
        }
    }

    /// A fight that has begun.
    static func fight(against boss: BossID = "glitch", _ heroes: [Hero], seed: UInt64 = 1) throws -> Adventure {
        var fight = Adventure.bossFight(against: boss, heroes: heroes, seed: seed)
        _ = try fight.advance(.start)
        return fight
    }

    /// A journey that has begun.
    static func journey(in region: RegionID = "meadow", _ heroes: [Hero], seed: UInt64 = 1) throws -> Adventure {
        var journey = Adventure.journey(in: region, heroes: heroes, seed: seed)
        _ = try journey.advance(.start)
        return journey
    }
}

extension Adventure {
    /// Ticks until the end.
    mutating func playOut() throws -> [Event] {
        var events: [Event] = []
        while status == .running {
            events += try advance(.tick)
        }
        return events
    }

    /// Ticks until the turn of a hero, or the boss's when nil, is open.
    mutating func playUntilTurn(of hero: Seat?) throws {
        while let turn, turn.hero != hero {
            _ = try advance(.tick)
        }
    }
}

extension Seat {
    static let first = Self(rawValue: 0)
    static let second = Self(rawValue: 1)
    static let third = Self(rawValue: 2)
}
