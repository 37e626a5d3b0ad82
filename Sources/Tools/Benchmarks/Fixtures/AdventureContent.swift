import ArgumentParser
import Encodings
import Foundation
import GameCore

/// The content of an adventure: a boss or a region.
enum AdventureContent: Hashable, Sendable {
    case boss(BossID)
    case region(RegionID)

    /// Every boss, then every region, in the order of the catalogues.
    static let all = bosses + regions
    static let bosses: [Self] = BossCatalogue.all.map { .boss($0.id) }
    static let regions: [Self] = RegionCatalogue.all.map { .region($0.id) }

    /// The catalogue's identifier; no boss shares one with a region.
    var id: String {
        switch self {
        case .boss(let boss): boss.rawValue
        case .region(let region): region.rawValue
        }
    }

    /// Returns an adventure that is ready to start.
    func opening(heroes: [Hero], seed: UInt64) -> Adventure {
        switch self {
        case .boss(let boss): .bossFight(against: boss, heroes: heroes, seed: seed)
        case .region(let region): .journey(in: region, heroes: heroes, seed: seed)
        }
    }
}

extension AdventureContent: ExpressibleByArgument {
    static var allValueStrings: [String] { all.map(\.id) }

    init?(argument: String) {
        guard let content = Self.all.first(where: { $0.id == argument }) else { return nil }
        self = content
    }
}

/// A hero of the catalogue.
struct HeroArgument: ExpressibleByArgument {
    static var allValueStrings: [String] { HeroCatalogue.all.map(\.id.rawValue) }

    let id: HeroID

    init?(argument: String) {
        guard let entry = HeroCatalogue[HeroID(rawValue: argument)] else { return nil }
        id = entry.id
    }
}

/// Parties with heroes drawn from a seed.
enum RandomParty {
    /// Draws heroes; each entry of the catalogue is equally likely, and may be drawn more than once.
    /// - Parameters:
    ///   - size: 1 to 8; a larger party of the same seed begins with the smaller one.
    ///   - hero: the catalogue's entry of each hero; nil draws it.
    ///   - level: the level of each hero.
    ///   - seed: may be the adventure's seed too; the two generators share no bits.
    /// - Returns: the heroes by seat, with the potions that the server gives.
    static func heroes(_ size: Int, of hero: HeroID? = nil, level: Int, seed: UInt64) -> [Hero] {
        var generator = Generator(seed: ~seed)
        return (0..<size).map { seat in
            let id = hero ?? HeroCatalogue.all[generator.number(below: HeroCatalogue.all.count)].id
            return Hero(playerID: player(seat), id: id, level: level, potions: Hero.openingPotions)
        }
    }

    private static func player(_ seat: Int) -> PlayerID {
        PlayerID(rawValue: UUID(bytes: [0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(seat)]))
    }
}
