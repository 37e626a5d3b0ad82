import Encodings
import Foundation
import GameCore

/// Heroes drawn by seed, as players might come together: each of the catalogue is as likely as any other, twins too.
enum DrawnParty {
    /// Some heroes.
    /// - Parameters:
    ///   - size: 1 to 8; the larger parties of a seed begin with the smaller ones.
    ///   - level: of each of them.
    ///   - seed: may be the adventure's as well: the two have no bits in common.
    /// - Returns: the heroes by seat, with the potions that the server gives.
    static func heroes(_ size: Int, level: Int, seed: UInt64) -> [Hero] {
        var draw = Generator(seed: ~seed)
        return (0..<size).map { seat in
            let entry = HeroCatalogue.all[draw.number(below: HeroCatalogue.all.count)]
            return Hero(playerID: player(seat), id: entry.id, level: level, potions: Hero.openingPotions)
        }
    }

    private static func player(_ seat: Int) -> PlayerID {
        PlayerID(rawValue: UUID(bytes: [0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(seat)]))
    }
}
