public import Encodings

/// What a party's fight in a raid begins with.
public struct RaidOpening: Hashable, Sendable {
    /// The greatest health of a raid's boss.
    public static let maxHealth = 1_000_000_000_000
    /// The number of digits of healths and damages in stored forms.
    static let healthDigits = 13

    /// The raid.
    public let raidID: RaidID
    /// The common boss, of ``BossCatalogue``.
    public let boss: BossID
    /// The health of the boss at the beginning of the raid, 1…``maxHealth``.
    public let maximumHealth: Int
    /// The health that the boss has left, 1…`maximumHealth`.
    public let healthLeft: Int
    /// The phase of the boss, from 1.
    public let phase: Int
    /// The number of the newest decision that the other values include; zero without one.
    public let decision: Int
    /// The damage of the party's earlier fights in the raid that counts.
    public let dealtBefore: Int
    /// The start of the first round to which the party's shard adds; earlier blows count as blows at this moment.
    public let countsFrom: Timestamp

    /// Creates an opening.
    public init(
        raidID: RaidID,
        boss: BossID,
        maximumHealth: Int,
        healthLeft: Int,
        phase: Int,
        decision: Int,
        dealtBefore: Int,
        countsFrom: Timestamp
    ) {
        self.raidID = raidID
        self.boss = boss
        self.maximumHealth = maximumHealth
        self.healthLeft = healthLeft
        self.phase = phase
        self.decision = decision
        self.dealtBefore = dealtBefore
        self.countsFrom = countsFrom
    }
}

/// The raid of a raid fight, as of the newest decision that the fight has taken.
public struct RaidFight: Hashable, Sendable {
    /// The raid.
    public let raidID: RaidID
    /// The number of the newest decision that the fight has taken, or that its opening included.
    public let decision: Int
    /// The health of the boss at the beginning of the raid.
    public let maximumHealth: Int
    /// The health that the boss has left.
    public let healthLeft: Int
    /// The damage that the party has dealt in this fight; once the raid has ended, the damage that counts.
    public let dealt: Int
    /// The damage of the party's earlier fights in the raid that counts.
    public let dealtBefore: Int
    /// The start of the first round to which the party's shard adds; earlier blows count as blows at this moment.
    public let countsFrom: Timestamp
}

/// What a fight knows of its raid beside the boss.
struct RaidLink: Hashable, Sendable {
    let raidID: RaidID
    var decision: Int
    let dealtBefore: Int
    let countsFrom: Timestamp

    /// Writes it as a line of a stored adventure, with the damage of the fight.
    func write(dealt: Int, to writer: inout AdventureWriter) {
        writer.line("raid")
        writer.word(raidID.description)
        writer.field("decision", decision)
        writer.field("before", dealtBefore)
        writer.word("from")
        writer.moment(countsFrom)
        writer.field("dealt", dealt)
    }

    /// Reads it with the damage of the fight.
    static func read(from reader: inout AdventureReader) throws(AdventureDecodingError) -> (Self, dealt: Int) {
        try reader.expect("raid")
        let raidID: RaidID = try reader.id()
        try reader.expect("decision")
        let decision = try reader.number()
        try reader.expect("before")
        let dealtBefore = try reader.number(digits: RaidOpening.healthDigits)
        try reader.expect("from")
        let countsFrom = try reader.moment()
        try reader.expect("dealt")
        let link = Self(raidID: raidID, decision: decision, dealtBefore: dealtBefore, countsFrom: countsFrom)
        return (link, try reader.number(digits: RaidOpening.healthDigits))
    }
}

extension Adventure {
    /// The greatest additional experience for the damage of a party if the boss of a raid is defeated.
    private static let maxRaidShare = 240
    /// The greatest experience for the damage of a party if the boss escapes.
    private static let maxEscapeShare = 60

    /// Creates a party's fight in a raid that is ready to start.
    ///
    /// Its identifier is to be passed to ``Timeline``.
    /// - Parameters:
    ///   - opening: the raid as of now.
    ///   - heroes: 1 to 8 heroes of ``HeroCatalogue``, each of another player; their order is the order of seats.
    ///   - seed: the seed of every random choice.
    ///   - rules: the version of the rules, at least ``RulesVersion/raids``.
    /// - Returns: the adventure before its first input: the opening, from which a replay starts.
    public static func raid(_ opening: RaidOpening, heroes: [Hero], seed: UInt64, rules: RulesVersion = .raids) -> Self
    {
        precondition(rules >= .raids, "raids have rules of version \(RulesVersion.raids.rawValue) or later")
        precondition(!heroes.isEmpty, "an adventure has 1 to 8 heroes, not 0")
        let heroes = heroes.map { HeroInPlay($0) }
        var boss = BossInPlay(
            opening.boss,
            health: opening.healthLeft,
            maximumHealth: opening.maximumHealth,
            attack: 0,
            attackOnAll: 0
        )
        boss.scaleAttack(to: heroes, under: rules)
        boss.phase = opening.phase
        boss.dealt = 0
        let link = RaidLink(
            raidID: opening.raidID,
            decision: opening.decision,
            dealtBefore: opening.dealtBefore,
            countsFrom: opening.countsFrom
        )
        let fight = BossFight(boss: boss, raid: link)
        return Self(scene: .bossFight(fight), heroes: heroes, generator: Generator(seed: seed), rules: rules)
    }

    /// The raid of a raid fight; nil in other adventures.
    public var raid: RaidFight? {
        guard let fight = bossFight, let raid = fight.raid else { return nil }
        return RaidFight(
            raidID: raid.raidID,
            decision: raid.decision,
            maximumHealth: fight.boss.maximumHealth,
            healthLeft: fight.boss.health,
            dealt: fight.boss.dealt ?? 0,
            dealtBefore: raid.dealtBefore,
            countsFrom: raid.countsFrom
        )
    }

    /// Excludes damage of the fight that does not count, before the decision that ends the raid.
    mutating func discount(_ damage: Int) {
        guard case .bossFight(var fight) = scene, let dealt = fight.boss.dealt else { return }
        fight.boss.dealt = dealt - damage
        scene = .bossFight(fight)
    }

    /// Takes a decision of the raid's home, which must be the next one.
    mutating func take(_ decision: RaidDecision, _ events: inout [AdventureEvent]) throws(AdventureRefusal) {
        guard case .bossFight(var fight) = scene, var raid = fight.raid else { throw .noBoss }
        guard decision.number == raid.decision + 1, fight.boss.entry.phases.indices.contains(decision.phase - 1),
            decision.maximumHealth == fight.boss.maximumHealth
        else { throw .notYourTurn }
        raid.decision = decision.number
        fight.raid = raid
        fight.boss.health = decision.healthLeft
        events.append(.raidProgressed(health: decision.healthLeft, maximum: decision.maximumHealth))
        while fight.boss.phase < decision.phase {
            fight.boss.phase += 1
            events.append(.bossEnraged(boss: fight.boss.id, phase: fight.boss.phase))
        }
        scene = .bossFight(fight)
        let share = decision.experience(for: raid.dealtBefore + (fight.boss.dealt ?? 0))
        switch decision.outcome {
        case nil: break
        case .defeated:
            events.append(.bossDefeated(boss: fight.boss.id))
            for seat in seatsInPlay {
                gain(Self.victoryExperience + min(share, Self.maxRaidShare), by: seat, &events)
            }
            finish(.bossDefeated, &events)
        case .escaped:
            for seat in seatsInPlay where share > 0 { gain(min(share, Self.maxEscapeShare), by: seat, &events) }
            finish(.expired, &events)
        case .stopped: finish(.endedByOperator, &events)
        }
    }
}

extension RaidDecision {
    /// The experience for the damage of a party: 120 for the average damage of the parties in the last round.
    ///
    /// It is at most 999,999,999.
    fileprivate func experience(for damage: Int) -> Int {
        guard dealt > 0 else { return 0 }
        let product = UInt(damage).multipliedFullWidth(by: UInt(parties * Adventure.victoryExperience))
        guard product.high < UInt(dealt) else { return Hero.maxCount }
        return Int(min(UInt(dealt).dividingFullWidth(product).quotient, UInt(Hero.maxCount)))
    }
}
