public import Encodings

/// A blow at the common boss of a raid.
///
/// Blows have one order: by their moments, then by shard, adventure and sequence.
public struct RaidBlow: Hashable, Comparable, Sendable {
    /// The moment of the blow.
    public let at: Timestamp
    /// The fight of the blow.
    public let adventureID: AdventureID
    /// The sequence of the blow's event in the fight.
    public let sequence: Int
    /// The damage; that of a raid's finishing blow counts only as far as the boss had health left.
    public let damage: Int

    /// Creates a blow.
    public init(at: Timestamp, adventureID: AdventureID, sequence: Int, damage: Int) {
        self.at = at
        self.adventureID = adventureID
        self.sequence = sequence
        self.damage = damage
    }

    /// The shard of the fight.
    public var shard: Shard { adventureID.shard }

    /// Returns the blow with another damage.
    func counting(_ damage: Int) -> Self {
        Self(at: at, adventureID: adventureID, sequence: sequence, damage: damage)
    }

    /// Orders blows by moment, shard, adventure and sequence.
    public static func < (left: Self, right: Self) -> Bool {
        if left.at != right.at { return left.at < right.at }
        if left.shard != right.shard { return left.shard < right.shard }
        if left.adventureID != right.adventureID { return left.adventureID < right.adventureID }
        return left.sequence < right.sequence
    }

    /// The stored form: the moment in microseconds, the fight, the sequence and the damage.
    public var encoded: String {
        var writer = AdventureWriter(capacity: 80)
        write(to: &writer)
        return String(decoding: writer.bytes.dropFirst(), as: UTF8.self)
    }

    /// Decodes the stored form.
    /// - Throws: ``AdventureDecodingError`` if it is malformed.
    public init(encoded: some StringProtocol) throws(AdventureDecodingError) {
        var reader = AdventureReader(String(encoded))
        try self.init(from: &reader)
        guard reader.isAtEnd else { throw reader.error("expected the end of the blow") }
    }

    /// Writes it after a word of a line.
    func write(to writer: inout AdventureWriter) {
        writer.moment(at)
        writer.word(adventureID.description)
        writer.number(sequence)
        writer.number(damage)
    }

    init(from reader: inout AdventureReader) throws(AdventureDecodingError) {
        at = try reader.moment()
        adventureID = try reader.id()
        sequence = try reader.number()
        damage = try reader.number()
    }
}

/// Something that the home of a raid decided: an input to the fights of all parties that take part.
public struct RaidDecision: Hashable, Sendable {
    /// How a raid ends.
    public enum Outcome: Hashable, Sendable {
        /// The parties defeated the boss; the finishing blow has the damage that counts.
        case defeated(by: RaidBlow)
        /// The raid ran out, and the boss escaped.
        case escaped
        /// An operator stopped the raid.
        case stopped
    }

    /// The number of the decision in its raid: 1 and up, without gaps.
    public let number: Int
    /// The last round that was added up; zero also before the first one.
    public let round: Int
    /// The end of that round; the start of the raid before the first one.
    public let roundEnd: Timestamp
    /// The health that the boss has left, 0…`maximumHealth`.
    public let healthLeft: Int
    /// The health of the boss at the beginning of the raid.
    public let maximumHealth: Int
    /// The phase of the boss, from 1.
    public let phase: Int
    /// The number of the parties' fights in the round.
    public let parties: Int
    /// All damage that counts.
    public let dealt: Int
    /// Whether shards list all blows of each round from now on, because the end of the boss is near.
    public let listsBlows: Bool
    /// How the raid ended; nil while it goes on.
    public let outcome: Outcome?

    /// Creates a decision.
    public init(
        number: Int,
        round: Int,
        roundEnd: Timestamp,
        healthLeft: Int,
        maximumHealth: Int,
        phase: Int,
        parties: Int,
        dealt: Int,
        listsBlows: Bool,
        outcome: Outcome?
    ) {
        self.number = number
        self.round = round
        self.roundEnd = roundEnd
        self.healthLeft = healthLeft
        self.maximumHealth = maximumHealth
        self.phase = phase
        self.parties = parties
        self.dealt = dealt
        self.listsBlows = listsBlows
        self.outcome = outcome
    }

    /// Returns the damage of a fight's blow that counts, if the raid ends by this decision.
    ///
    /// Blows after the finishing blow do not count, nor do blows at or after the end of a raid that runs out or is
    /// stopped.
    public func counted(_ blow: RaidBlow) -> Int {
        switch outcome {
        case nil: blow.damage
        case .defeated(let last) where blow.adventureID == last.adventureID && blow.sequence == last.sequence:
            last.damage
        case .defeated(let last): blow < last ? blow.damage : 0
        case .escaped, .stopped: blow.at < roundEnd ? blow.damage : 0
        }
    }
}

// The stored form of a decision: a line of words and numbers. Examples:
//
//     4 round 61 until 1790000062000000 health 812/4000 phase 2 parties 30 dealt 3188 blows
//     5 round 70 until 1790000071000000 health 0/4000 phase 2 parties 28 dealt 4000 blows defeated by
//         1790000070400000 01932a5c-77e0-7c41-9b0e-5d2f8a61c3e4 57 9

extension RaidDecision {
    /// The stored form, one line.
    public var encoded: String {
        var writer = AdventureWriter(capacity: 160)
        write(to: &writer)
        return String(decoding: writer.bytes.dropFirst(), as: UTF8.self)
    }

    /// Decodes the stored form.
    /// - Throws: ``AdventureDecodingError`` if it is malformed.
    public init(encoded: some StringProtocol) throws(AdventureDecodingError) {
        var reader = AdventureReader(String(encoded))
        try self.init(from: &reader)
        guard reader.isAtEnd else { throw reader.error("expected the end of the decision") }
    }

    /// Writes it after a word of a line.
    func write(to writer: inout AdventureWriter) {
        writer.number(number)
        writer.field("round", round)
        writer.word("until")
        writer.moment(roundEnd)
        writer.word("health")
        writer.fraction(healthLeft, of: maximumHealth)
        writer.field("phase", phase)
        writer.field("parties", parties)
        writer.field("dealt", dealt)
        if listsBlows { writer.word("blows") }
        switch outcome {
        case nil: break
        case .defeated(let blow):
            writer.word("defeated by")
            blow.write(to: &writer)
        case .escaped: writer.word("escaped")
        case .stopped: writer.word("stopped")
        }
    }

    init(from reader: inout AdventureReader) throws(AdventureDecodingError) {
        number = try reader.number()
        try reader.expect("round")
        round = try reader.number()
        try reader.expect("until")
        roundEnd = try reader.moment()
        try reader.expect("health")
        (healthLeft, maximumHealth) = try reader.fraction(digits: RaidOpening.healthDigits)
        guard healthLeft <= maximumHealth, maximumHealth > 0 else {
            throw reader.error("invalid health \(healthLeft)/\(maximumHealth)")
        }
        try reader.expect("phase")
        phase = try reader.number()
        try reader.expect("parties")
        parties = try reader.number()
        try reader.expect("dealt")
        dealt = try reader.number(digits: RaidOpening.healthDigits)
        listsBlows = reader.accept("blows")
        if reader.accept("defeated") {
            try reader.expect("by")
            outcome = .defeated(by: try RaidBlow(from: &reader))
        } else if reader.accept("escaped") {
            outcome = .escaped
        } else {
            outcome = reader.accept("stopped") ? .stopped : nil
        }
        let isDefeated = if case .defeated = outcome { true } else { false }
        guard (healthLeft == 0) == isDefeated else { throw reader.error("no health is left exactly after a defeat") }
    }
}
