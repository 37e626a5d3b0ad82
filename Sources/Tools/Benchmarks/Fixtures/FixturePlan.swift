import Encodings
import Foundation
import GameCore
import GameFixtures
import GameStore
import PostgresClient
import ServiceRuntime

/// A plan of parties of four with running adventures, half of them journeys and half boss fights.
///
/// The data depends only on these numbers, so the same plan always gives the same data.
struct FixturePlan: Sendable {
    static let heroes = 4
    /// The number of slots per interval: equal to the number of a journey's phases, so that the ticks due in a round
    /// fill whole slots.
    static let slots = 100

    let parties: Int
    /// The number of shards, over which the parties are spread evenly.
    let shards: Int
    /// The time between two ticks of a journey; a boss turn is as long.
    let interval: Duration
    /// The moment up to which all ticks count as played; the first ticks are due a slot later.
    var start: Timestamp
    /// The maximum number of ticks that an adventure has already played; adventures differ in it.
    let ticksPlayed: Int
    /// The number of adventures that differ in more than their identifiers.
    let distinctAdventures: Int

    /// Returns a plan of parties over all shards, each with its own adventure, that starts at the latest slot before
    /// now.
    static func live(parties: Int, interval: Duration) -> Self {
        let slot = (interval / slots).wholeMicroseconds
        return Self(
            parties: parties,
            shards: min(256, parties),
            interval: interval,
            start: Timestamp(microseconds: Runtime.system.now().microseconds / slot * slot),
            ticksPlayed: 8,
            distinctAdventures: parties
        )
    }

    var slotLength: Duration { interval / Self.slots }

    /// Returns the numbers of a shard's parties.
    func numbers(in shard: Int) -> StrideTo<Int> { stride(from: shard, to: parties, by: shards) }

    /// Returns an identifier that is unique for each kind, number and part.
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

    func activityID(_ number: Int, seat: Int) -> ActivityID { ActivityID(rawValue: uuid(4, number, part: seat)) }

    func adventureID(_ number: Int) -> AdventureID { AdventureID(rawValue: uuid(2, number, in: number % shards)) }

    /// Whether a party travels: every other party of a shard, beginning with the first one of every other shard.
    func isJourney(_ number: Int) -> Bool { (number / shards + number % shards).isMultiple(of: 2) }

    /// Returns the slot of the interval in which a party's ticks are due, from 0.
    ///
    /// Slots are spread evenly over the parties of a shard, over journeys and fights alike, and over the shards.
    func slot(_ number: Int) -> Int { (number / shards / 2 + number % shards) % Self.slots }

    /// Returns the distinct adventures; party `n` has adventure `n % distinctAdventures`.
    func adventures() throws -> [PlayedAdventure] {
        try (0..<distinctAdventures).map { number in
            let kind = number / shards / 2
            let content: AdventureContent =
                isJourney(number)
                ? .region(RegionCatalogue.all[kind % RegionCatalogue.all.count].id)
                : .boss(BossCatalogue.all[kind % BossCatalogue.all.count].id)
            let drawn = RandomParty.heroes(Self.heroes, level: 1 + number % 5, seed: UInt64(number))
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

    /// Returns a party with its adventure, for storing.
    ///
    /// `tokens` are the push tokens of its activities by seat, and `decisions` is the encoded decision log of each
    /// activity.
    func party(_ number: Int, in played: PlayedAdventure, tokens: [[UInt8]], decisions: [UInt8]? = nil) -> FixtureParty
    {
        let id = PartyID(rawValue: uuid(1, number, in: number % shards))
        // The engine numbers slots since 1970, and a phase is a slot's remainder.
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
}

/// A running adventure with its opening.
struct PlayedAdventure: Sendable {
    let opening: Adventure
    let adventure: Adventure

    /// Starts an adventure and plays up to `ticks` ticks, stopping before the one that would end it.
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

extension FixturePlan {
    /// Migrates an empty database and stores the parties.
    /// - Parameters:
    ///   - uri: the database.
    ///   - tokens: returns the push tokens of a party's activities, by seat.
    ///   - decisions: the encoded decision log of each activity; nil for none.
    /// - Throws: PostgreSQL's errors.
    func load(into uri: String, tokens: @escaping @Sendable (Int) -> [[UInt8]] = { _ in [] }, decisions: [UInt8]? = nil)
        async throws
    {
        let pool = BenchmarkPostgres.pool(uri)
        _ = try await GameStore(pool: pool).migrate()
        let loader = FixtureLoader(pool: pool)
        let adventures = try adventures()
        var progress = Progress(of: shards)
        for shard in 0..<shards {
            let parties = numbers(in: shard).map { number in
                let adventure = adventures[number % adventures.count]
                return party(number, in: adventure, tokens: tokens(number), decisions: decisions)
            }
            let shard = Shard(rawValue: UInt8(shard))
            try await loader.load(parties, in: shard, at: start, journeysTickedUntil: start)
            progress.advance()
        }
    }

    /// Stores additional parties, as of the plan's start.
    /// - Parameters:
    ///   - numbers: new parties, by shard.
    ///   - adventures: the plan's adventures.
    ///   - pool: connects to the database with the other parties.
    /// - Throws: PostgreSQL's errors.
    func add(_ numbers: [Int: [Int]], in adventures: [PlayedAdventure], to pool: PostgresPool) async throws {
        let loader = FixtureLoader(pool: pool)
        for (shard, numbers) in numbers.sorted(by: { $0.key < $1.key }) {
            let parties = numbers.map { party($0, in: adventures[$0 % adventures.count], tokens: []) }
            try await loader.load(parties, in: Shard(rawValue: UInt8(shard)), at: start)
        }
    }
}
