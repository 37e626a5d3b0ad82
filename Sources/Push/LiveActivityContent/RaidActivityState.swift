import JSONCoding

/// The state of a raid that a Live Activity on a broadcast channel shows.
///
/// All phones get the same state, so it says nothing about a member or a party. The rules of
/// ``AdventureAttributes/ContentState`` hold: keys are the property names, times are whole seconds since 1970, and an absent
/// value has no key. A widget of adventures decodes it, too: as a boss fight without heroes, whose
/// ``currentHealthLevel`` is the common boss's.
public struct RaidActivityState: Codable, Hashable, Sendable {
    /// The common boss.
    public var boss: AdventureAttributes.BossState
    /// The health that the boss has left.
    public var health: Int
    /// The health that the boss had at the beginning.
    public var maximumHealth: Int
    /// The phase of the boss, from 1: in each it fights harder than before.
    public var phase: Int
    /// The number of parties that take part.
    public var parties: Int
    /// The damage of the biggest blow; nil before the first one.
    public var biggestBlow: Int?
    /// When the raid ends, in seconds since 1970.
    public var endsEpochSeconds: Int64
    /// What happened last, which the phone shows in its own language.
    public var event: LocalizableText
    /// The outcome of the raid; nil while it goes on.
    public var outcome: String?
    /// The number of rounds since the start.
    public var tick: Int
    /// The version; of two states, the one with the larger number is newer.
    public var sequence: Int
    /// No heroes: each party has its own.
    public private(set) var heroes: [AdventureAttributes.HeroState] = []
    /// The health of the boss, 0…1.
    public var currentHealthLevel: Double
    /// ``event`` as an English sentence, for the widget of the single-hero app.
    public var eventDescription: String

    /// Creates a state, with ``currentHealthLevel`` and ``eventDescription`` derived from `boss` and `event`.
    /// - Parameters:
    ///   - boss: the common boss.
    ///   - health: the health that the boss has left.
    ///   - maximumHealth: the health that it had at the beginning.
    ///   - phase: the phase, from 1.
    ///   - parties: the number of parties.
    ///   - biggestBlow: the damage of the biggest blow.
    ///   - endsEpochSeconds: when the raid ends, in seconds since 1970.
    ///   - event: what happened last.
    ///   - outcome: the outcome; nil while the raid goes on.
    ///   - tick: the number of rounds since the start.
    ///   - sequence: the version.
    public init(
        boss: AdventureAttributes.BossState,
        health: Int,
        maximumHealth: Int,
        phase: Int,
        parties: Int,
        biggestBlow: Int?,
        endsEpochSeconds: Int64,
        event: LocalizableText,
        outcome: String?,
        tick: Int,
        sequence: Int
    ) {
        self.boss = boss
        self.health = health
        self.maximumHealth = maximumHealth
        self.phase = phase
        self.parties = parties
        self.biggestBlow = biggestBlow
        self.endsEpochSeconds = endsEpochSeconds
        self.event = event
        self.outcome = outcome
        self.tick = tick
        self.sequence = sequence
        currentHealthLevel = boss.healthLevel
        eventDescription = event.english
    }

    /// The state as JSON, with sorted keys: the value of `content-state`.
    public var encoded: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { writer in
            if let biggestBlow {
                writer.key("biggestBlow")
                writer.value(biggestBlow)
            }
            writer.key("boss")
            writer.value(boss)
            writer.key("currentHealthLevel")
            writer.value(currentHealthLevel)
            writer.key("endsEpochSeconds")
            writer.value(endsEpochSeconds)
            writer.key("event")
            writer.value(event)
            writer.key("eventDescription")
            writer.value(eventDescription)
            writer.key("health")
            writer.value(health)
            writer.key("heroes")
            writer.array(heroes) { $0.value($1) }
            writer.key("maximumHealth")
            writer.value(maximumHealth)
            if let outcome {
                writer.key("outcome")
                writer.value(outcome)
            }
            writer.key("parties")
            writer.value(parties)
            writer.key("phase")
            writer.value(phase)
            writer.key("sequence")
            writer.value(sequence)
            writer.key("tick")
            writer.value(tick)
        }
        return writer.bytes
    }
}
