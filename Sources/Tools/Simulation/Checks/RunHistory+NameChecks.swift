import Encodings
import GameCore
import GameLog

extension RunHistory {
    /// The time within which a dispatcher has read that a player has left, unless a fault happens.
    private static let readingTime: Int64 = 10_000_000

    /// Returns what is wrong with the names of players in an alert, as a clause; nil if nothing is, or if the names are
    /// not known.
    ///
    /// An alert about a companion names the player exactly if another hero of the adventure is the same, and names no
    /// player who left some time before.
    func fault(
        ofNamesIn push: PushRecord,
        to reference: ActivityReference,
        at receiver: Seat,
        in adventure: AdventureHistory
    ) -> String? {
        let heroes = adventure.newest.heroes
        for hero in Set(heroes.map(\.id)) where !adventure.playerNames.isEmpty {
            let seats = heroes.indices.filter { heroes[$0].id == hero }
            let plain = Array(#""loc-key":"\#(hero.name) is down!""#.utf8)
            if push.payload.contains(plain), seats.count > 1, seats.allSatisfy({ !heroes[$0].hasLeft }) {
                return "does not say whose \(hero.name) is down"
            }
            let naming = Array(#""loc-key":"%@’s \#(hero.name) is down!""#.utf8)
            guard push.payload.contains(naming) else { continue }
            let named = seats.filter { seat in
                guard seat != receiver.rawValue, let name = adventure.playerNames[heroes[seat].playerID] else {
                    return false
                }
                return push.payload.contains(Array(#""loc-args":["\#(name)"]"#.utf8))
            }
            guard seats.count > 1, let seat = named.first else { return "names another player than the hero's" }
            if hasLeftBefore(push, reference, Seat(rawValue: seat), in: adventure) {
                return "names a player who had left"
            }
        }
        return nil
    }

    private func hasLeftBefore(
        _ push: PushRecord,
        _ reference: ActivityReference,
        _ seat: Seat,
        in adventure: AdventureHistory
    ) -> Bool {
        guard adventure.newest.heroes[seat.rawValue].hasLeft,
            let leaving = adventure.events.last(where: { $0.event == .memberLeft(hero: seat) })
        else { return false }
        let leftAt = commitTime(of: leaving, in: reference.adventureID)
        return leftAt + Self.readingTime < push.writtenAt
            && !hasFault(in: leftAt...push.writtenAt, of: reference.adventureID.shard)
    }
}
