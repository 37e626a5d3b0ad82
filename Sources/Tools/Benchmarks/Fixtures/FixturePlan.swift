import Encodings
import Foundation
import GameCore
import GameEngine
import GameFixtures
import GameLog
import GameStore
import PostgresClient
import ServiceRuntime

/// A plan of parties of four with running adventures, half of them journeys and half boss fights.
///
/// The data depends only on these numbers, so the same plan always gives the same data.
struct FixturePlan: Sendable {
    static let heroes = 4

    let parties: Int
    /// The number of shards, over which the parties are spread evenly.
    let shards: Int
    /// The time between two ticks of a journey.
    let journeyTick: Duration
    /// The length of a fight's turns.
    let bossTurn: Duration
    /// The clock of the shards; the next tick of each adventure is due within an interval after it.
    var start: Timestamp
    /// The maximum number of ticks that an adventure has already played; adventures differ in it.
    var maxTicksPlayed: Int
    /// The number of adventures that differ in more than their identifiers and starts; those that are alike have the same
    /// players.
    let distinctAdventures: Int
    /// The number of seats, from the first, whose phones have frequent pushes.
    var frequentSeats = Self.heroes
    /// The time from ``start`` in which few adventures end: some do in its last tenth.
    var minTimeLeft = Duration.zero
    /// Whether the ticks of adventures are spread evenly over the interval; otherwise all start together.
    var isStaggered = true

    /// Returns a plan of parties over all shards, each with its own adventure, that starts now.
    static func live(parties: Int, interval: Duration) -> Self {
        Self(
            parties: parties,
            shards: min(256, parties),
            journeyTick: interval,
            bossTurn: interval,
            start: Runtime.system.now(),
            maxTicksPlayed: 7,
            distinctAdventures: parties
        )
    }

    /// Returns a plan of parties with adventures of all ages, of which some end at any time.
    static func steady(
        parties: Int,
        shards: Int = 256,
        journeyTick: Duration,
        bossTurn: Duration,
        at start: Timestamp
    ) -> Self {
        Self(
            parties: parties,
            shards: min(shards, parties),
            journeyTick: journeyTick,
            bossTurn: bossTurn,
            start: start,
            maxTicksPlayed: .max,
            distinctAdventures: min(2_048, parties)
        )
    }

    /// Returns a plan of parties with phones of both kinds, at the default pace, of whose adventures few end in a time.
    static func crowd(parties: Int, lasting length: Duration, at start: Timestamp) -> Self {
        let pace = GameSettings()
        return Self(
            parties: parties,
            shards: min(256, parties),
            journeyTick: pace.journeyTick,
            bossTurn: pace.bossTurn,
            start: start,
            maxTicksPlayed: .max,
            distinctAdventures: parties,
            frequentSeats: heroes / 2,
            minTimeLeft: length
        )
    }

    /// Returns a plan of parties whose journeys start together and tick together, and whose fights stand still.
    static func simultaneous(parties: Int, journeyTick: Duration, lasting length: Duration, at start: Timestamp) -> Self
    {
        Self(
            parties: parties,
            shards: min(256, parties),
            journeyTick: journeyTick,
            bossTurn: .seconds(24 * 60 * 60),
            start: start,
            maxTicksPlayed: 0,
            distinctAdventures: parties,
            minTimeLeft: length,
            isStaggered: false
        )
    }

    /// The number of ticks that are due per second if nothing ends.
    var ticksPerSecond: Double {
        Double(parties) / 2 * (1 / (journeyTick / .seconds(1)) + 1 / (bossTurn / .seconds(1)))
    }

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

    func partyID(_ number: Int) -> PartyID { PartyID(rawValue: uuid(1, number, in: number % shards)) }

    /// Whether a party travels: every other party of a shard, beginning with the first one of every other shard.
    func isJourney(_ number: Int) -> Bool { (number / shards + number % shards).isMultiple(of: 2) }

    /// Returns the time between two ticks of a party's adventure.
    func interval(_ number: Int) -> Duration { isJourney(number) ? journeyTick : bossTurn }

    /// Returns when a party's adventure started.
    ///
    /// Unless all start together:
    /// Ticks are spread evenly over the interval, and ages evenly over the ticks of an adventure: the multiples of these
    /// two numbers fill a square evenly (the R₂ sequence).
    func start(_ number: Int, of opening: FixtureOpening) -> Timestamp {
        guard isStaggered else { return start }
        func fraction(_ step: Double) -> Double { (Double(number) * step).truncatingRemainder(dividingBy: 1) }
        let ticksLeft = Int((minTimeLeft * 0.9 / interval(number)).rounded(.up))
        let ages = max(min(opening.ticks - 1 - ticksLeft, maxTicksPlayed) + 1, 1)
        let age = Int(fraction(0.569_840_290_998_053_2) * Double(ages))
        return start - interval(number) * (Double(age) + fraction(0.754_877_666_246_692_7))
    }

    /// Returns the distinct openings; party `n` has opening `n % distinctAdventures`.
    func openings() -> [FixtureOpening] { (0..<distinctAdventures).map(opening) }

    /// Returns the distinct opening with a number: the next one of the catalogue that lasts for ``minTimeLeft``.
    func opening(_ number: Int) -> FixtureOpening {
        let drawn = RandomParty.heroes(Self.heroes, level: 1 + number % 5, seed: UInt64(number))
        let heroes = drawn.enumerated().map { seat, hero in
            Hero(
                playerID: playerID(number, seat: seat),
                id: hero.id,
                experience: hero.experience,
                potions: hero.potions
            )
        }
        let contents = isJourney(number) ? AdventureContent.regions : AdventureContent.bosses
        var longest: FixtureOpening?
        for offset in contents.indices {
            let content = contents[(number / shards / 2 + offset) % contents.count]
            let opening = FixtureOpening(content.opening(heroes: heroes, seed: UInt64(number)))
            if interval(number) * opening.ticks > minTimeLeft { return opening }
            if longest.map({ opening.ticks > $0.ticks }) ?? true { longest = opening }
        }
        guard let longest else { preconditionFailure("a catalogue is empty") }
        return longest
    }

    /// Returns push tokens for a party's phones, by seat, for a server that accepts any token.
    ///
    /// Real ones have 32 bytes or more. ``PushArrival`` reads number and seat from them.
    func tokens(_ number: Int) -> [[UInt8]] {
        (0..<Self.heroes).map { seat in
            withUnsafeBytes(of: uuid(5, number, part: seat).uuid) { Array($0) + Array($0) }
        }
    }

    /// Returns a party with its adventure, for storing.
    ///
    /// `tokens` are the push tokens of its activities by seat, and `decisions` is the encoded decision log of each
    /// activity.
    func party(_ number: Int, of opening: FixtureOpening, tokens: [[UInt8]] = [], decisions: [UInt8]? = nil)
        -> FixtureParty
    {
        FixtureParty(
            id: partyID(number),
            adventureID: adventureID(number),
            opening: opening,
            startedAt: start(number, of: opening),
            interval: interval(number),
            activities: tokens.enumerated().map { seat, token in
                var activity = Activity(
                    id: activityID(number, seat: seat),
                    adventureID: adventureID(number),
                    playerID: opening.adventure.heroes[seat].playerID,
                    deviceID: DeviceID(rawValue: opening.adventure.heroes[seat].playerID.rawValue),
                    pushToken: token,
                    environment: .simulator,
                    frequentPushesEnabled: seat < frequentSeats,
                    locale: "en",
                    registeredAt: start
                )
                activity.acknowledgedAt = start
                return activity
            },
            decisions: decisions
        )
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
        let shared = distinctAdventures < parties ? openings() : []
        var progress = Progress(of: shards)
        for shard in 0..<shards {
            let parties = numbers(in: shard).map { number in
                let opening = shared.isEmpty ? opening(number) : shared[number % shared.count]
                return party(number, of: opening, tokens: tokens(number), decisions: decisions)
            }
            try await FixtureLoader(pool: pool).load(parties, in: Shard(rawValue: UInt8(shard)), at: start)
            progress.advance()
        }
        // Otherwise the first measurement would clean up after COPY. The log is left out: the planner would know that it is
        // empty, and scan it whole while it grows.
        try await pool.withConnection { connection in
            try await connection.script(
                "VACUUM ANALYZE shards, parties, members, adventures, activities, activity_decisions"
            )
        }
    }
}
