import Encodings
import Foundation
import GameCore
import GameFixtures
import GameStore

/// Parties of four with running adventures, half of them on a journey and half before a boss, for a database that has none.
///
/// Everything follows from the numbers here: the same plan makes the same world each time.
struct WorldPlan: Sendable {
    static let heroes = 4
    /// As many as a journey has phases: what is due in a round then is a whole number of them.
    static let slots = 100

    let parties: Int
    /// How many shards they are spread over, evenly.
    let shards: Int
    /// Between two ticks of a journey; a boss turn is as long.
    let interval: Duration
    /// Until when everything counts as played; what is due first is due a slot later.
    var start: Timestamp
    /// How many ticks of an adventure were played before, at most; each has played another number of them.
    let ticksPlayed: Int
    /// How many adventures there are that differ in more than their identifiers.
    let differentAdventures: Int

    var slotLength: Duration { interval / Self.slots }

    /// The numbers of a shard's parties.
    func numbers(in shard: Int) -> StrideTo<Int> {
        stride(from: shard, to: parties, by: shards)
    }

    /// An identifier that is another for each kind of thing and number.
    func uuid(_ kind: UInt8, _ number: Int, part: Int = 0, in shard: Int? = nil) -> UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: number >> (40 - 8 * index)) }
        bytes[6] = 0x70
        bytes[7] = kind
        bytes[8] = 0x80
        bytes[9] = UInt8(truncatingIfNeeded: part)
        bytes[15] = UInt8(truncatingIfNeeded: shard ?? number)
        return UUID(bytes: bytes)
    }

    func playerID(_ number: Int, seat: Int) -> PlayerID { PlayerID(rawValue: uuid(3, number, part: seat)) }

    func adventureID(_ number: Int) -> AdventureID {
        AdventureID(rawValue: uuid(2, number, in: number % shards))
    }

    /// Which slot of the interval a party's ticks fall on, 0 for the first: spread evenly over a shard's parties, its
    /// journeys and fights alike, and over the shards.
    func slot(_ number: Int) -> Int {
        (number / shards / 2 + number % shards) % Self.slots
    }

    /// The adventures, played some ticks, with their beginnings; the one of a number is at that number's remainder.
    func adventures() throws -> [PlayedAdventure] {
        try (0..<differentAdventures).map { number in
            let isJourney = isJourney(number)
            let kind = number / shards / 2
            let content: Content =
                isJourney
                ? .region(RegionCatalogue.all[kind % RegionCatalogue.all.count].id)
                : .boss(BossCatalogue.all[kind % BossCatalogue.all.count].id)
            let drawn = DrawnParty.heroes(Self.heroes, level: 1 + number % 5, seed: UInt64(number))
            let heroes = drawn.enumerated().map { seat, hero in
                Hero(
                    playerID: playerID(number, seat: seat),
                    id: hero.id,
                    experience: hero.experience,
                    potions: hero.potions
                )
            }
            return try PlayedAdventure(
                content.opening(heroes: heroes, seed: UInt64(number)),
                ticks: ticksPlayed == 0 ? 0 : number / 3 % ticksPlayed
            )
        }
    }

    /// A party as it is stored.
    /// - Parameters:
    ///   - number: from zero.
    ///   - played: its adventure.
    ///   - tokens: of the phones that show it, by seat.
    ///   - decisions: what was decided for each of their cards, encoded; nil for nothing.
    /// - Returns: the party with its adventure.
    func party(_ number: Int, in played: PlayedAdventure, tokens: [[UInt8]], decisions: [UInt8]? = nil) -> FixtureParty
    {
        let id = PartyID(rawValue: uuid(1, number, in: number % shards))
        // The engine's slots are numbered since 1970, and a phase is a slot's remainder.
        let startSlot = start.microseconds / slotLength.wholeMicroseconds
        let phase = isJourney(number) ? Int((startSlot + 1 + Int64(slot(number))) % Int64(Self.slots)) : nil
        var stored = StoredAdventure(
            id: adventureID(number),
            partyID: id,
            adventure: played.adventure,
            startedAt: start - interval,
            phase: phase
        )
        if phase == nil { stored.turnDueAt = start + slotLength * (slot(number) + 1) }
        let activities = tokens.enumerated().map { seat, token in
            Activity(
                id: activityID(number, seat: seat),
                adventureID: stored.id,
                playerID: played.adventure.heroes[seat].playerID,
                pushToken: token,
                environment: .simulator,
                frequentPushesEnabled: true,
                locale: "en",
                registeredAt: start
            )
        }
        return FixtureParty(
            id: id,
            adventure: stored,
            opening: played.opening,
            activities: activities,
            decisions: decisions
        )
    }

    func activityID(_ number: Int, seat: Int) -> ActivityID { ActivityID(rawValue: uuid(4, number, part: seat)) }

    /// Every other party of a shard travels, the others fight; the first of every other shard.
    func isJourney(_ number: Int) -> Bool { (number / shards + number % shards).isMultiple(of: 2) }
}

/// An adventure in the midst of it.
struct PlayedAdventure: Sendable {
    let opening: Adventure
    let adventure: Adventure

    /// Plays so many ticks, or fewer where it would be over after them.
    init(_ opening: Adventure, ticks: Int) throws {
        self.opening = opening
        var adventure = opening
        _ = try adventure.advance(.start)
        for _ in 0..<ticks {
            var next = adventure
            _ = try next.advance(.tick)
            guard next.status == .running else { break }
            adventure = next
        }
        self.adventure = adventure
    }
}
