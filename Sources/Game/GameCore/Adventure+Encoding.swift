// The stored form of an adventure: a readable text of words and numbers, with one line for each hero.
//
//     2 bossFight running
//     tick 25 sequence 69 rules 3 random 7c3c1188e50e6b2b
//     boss cinderwing health 149/260 attack 39 56 phase 2 announced crush 1
//     turn 26 hero 0
//     hero spouty player 01932a5c-77e0-7c41-9b0e-5d2f8a61c3e4 level 1 experience 40 health 75/112 potions 0 cooldown 3
//     hero boulder player 01932a5d-04b8-7e92-8c36-e1a7904fd52b level 1 experience 0 health 74/132 potions 1 guarding
//
// Fields with default values are omitted. The first number is the version of the form.

extension Adventure {
    /// The stored form, as a text; ``init(encoded:)`` decodes it.
    public var encoded: String {
        var writer = AdventureWriter(capacity: 256 + 160 * heroes.count)
        writer.line("2")
        writer.word(kind.rawValue)
        switch status {
        case .ready: writer.word("ready")
        case .running: writer.word("running")
        case .ended(let outcome):
            writer.word("ended")
            writer.word(outcome.rawValue)
        }
        writer.line("tick")
        writer.number(tick)
        writer.field("sequence", sequence)
        writer.field("rules", rules.rawValue)
        writer.word("random")
        writer.bits(generator.state)
        switch scene {
        case .journey(let journey): journey.write(to: &writer)
        case .bossFight(let fight): fight.write(to: &writer)
        }
        for hero in heroes { hero.write(to: &writer) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Decodes a stored adventure.
    ///
    /// Arbitrary input is safe: one damaged row must not stop the server.
    /// - Parameter text: the stored form, as ``encoded`` returned it.
    /// - Throws: ``AdventureDecodingError`` if the text is malformed or of an unknown version, if it refers to content
    ///   that the catalogues of this release do not have, or if its state cannot result from playing.
    public init(encoded text: String) throws(AdventureDecodingError) {
        var reader = AdventureReader(text)
        try self.init(from: &reader)
        if let inconsistency { throw AdventureDecodingError(reason: inconsistency) }
    }

    private init(from reader: inout AdventureReader) throws(AdventureDecodingError) {
        guard reader.accept("2") else {
            throw reader.error("unknown version of the stored form; this release reads version 2")
        }
        let kind: AdventureKind = try reader.value()
        let status: AdventureStatus
        if reader.accept("ready") {
            status = .ready
        } else if reader.accept("running") {
            status = .running
        } else {
            try reader.expect("ended")
            status = .ended(try reader.value())
        }
        try reader.expect("tick")
        let tick = try reader.number()
        try reader.expect("sequence")
        let sequence = try reader.number()
        try reader.expect("rules")
        let version = try reader.number()
        guard let rules = RulesVersion(rawValue: version) else {
            throw reader.error("unknown version of the rules, \(version); this release has \(RulesVersion.list)")
        }
        try reader.expect("random")
        let generator = Generator(seed: try reader.bits())
        let scene: Scene =
            switch kind {
            case .journey: .journey(try Journey(from: &reader))
            case .bossFight, .raid: .bossFight(try BossFight(from: &reader, in: kind))
            }
        var heroes: [HeroInPlay] = []
        heroes.reserveCapacity(Self.maxHeroes)
        while !reader.isAtEnd {
            guard heroes.count < Self.maxHeroes else { throw reader.error("more than \(Self.maxHeroes) heroes") }
            heroes.append(try HeroInPlay(from: &reader))
        }
        guard !heroes.isEmpty else { throw reader.error("no heroes") }
        self.init(scene: scene, heroes: heroes, generator: generator, rules: rules)
        self.status = status
        self.tick = tick
        self.sequence = sequence
    }

    /// The inconsistency that prevents the continuation of the adventure, if any.
    private var inconsistency: String? {
        let isOver = outcome != nil
        if kind == .raid, rules < .raids { return "rules of version \(rules.rawValue) have no raids" }
        if !isOver, standing.isEmpty { return "no hero stands, but the adventure has not ended" }
        switch scene {
        case .journey(let journey):
            if !isOver, journey.step >= journey.steps { return "the journey is at its goal, but has not ended" }
        case .bossFight(let fight):
            if (fight.turn != nil) != (status == .running) {
                return "a fight has an open turn exactly while it is running"
            }
            if let hero = fight.turn?.hero, !standing.contains(hero) {
                return "the open turn belongs to seat \(hero.rawValue), where no hero stands"
            }
            if case .crush(let target) = fight.boss.announcement, !standing.contains(target) {
                return "the boss takes aim at seat \(target.rawValue), where no hero stands"
            }
            if !isOver, fight.boss.health == 0 { return "the boss is defeated, but the fight has not ended" }
        }
        return nil
    }
}

extension Journey {
    fileprivate func write(to writer: inout AdventureWriter) {
        writer.line("region")
        writer.word(region.rawValue)
        writer.word("location")
        writer.word(location.rawValue)
        writer.word("step")
        writer.fraction(step, of: steps)
        writer.field("danger", dangerPercent)
        if beatsReached > 0 { writer.field("beats", beatsReached) }
        if let encounter {
            writer.word("foe")
            writer.word(encounter.foe.rawValue)
            writer.fraction(encounter.health, of: encounter.maximumHealth)
        }
    }

    fileprivate init(from reader: inout AdventureReader) throws(AdventureDecodingError) {
        try reader.expect("region")
        let region = RegionID(rawValue: try reader.word())
        guard let content = RegionCatalogue[region] else {
            throw reader.error("the catalogue has no region '\(region)'")
        }
        try reader.expect("location")
        let location = LocationID(rawValue: try reader.word())
        guard content.locations.contains(where: { $0.id == location }) else {
            throw reader.error("region '\(region)' has no location '\(location)'")
        }
        try reader.expect("step")
        let (step, steps) = try reader.fraction()
        // Each reader plays the adventure, and must not be busy with a damaged one for minutes.
        guard steps <= Self.maxSteps else { throw reader.error("a journey of \(steps) steps is too long") }
        try reader.expect("danger")
        self.init(in: region, location: location, step: step, steps: steps, dangerPercent: try reader.number())
        if reader.accept("beats") { beatsReached = try reader.number() }
        if reader.accept("foe") {
            let foe = FoeID(rawValue: try reader.word())
            guard content.foes.contains(where: { $0.id == foe }) else {
                throw reader.error("region '\(region)' has no foe '\(foe)'")
            }
            let (health, maximumHealth) = try reader.fraction()
            guard health > 0, health <= maximumHealth else {
                throw reader.error("invalid health \(health)/\(maximumHealth)")
            }
            encounter = Encounter(foe: foe, health: health, maximumHealth: maximumHealth)
        }
    }
}

extension BossFight {
    fileprivate func write(to writer: inout AdventureWriter) {
        writer.line("boss")
        writer.word(boss.id.rawValue)
        writer.word("health")
        writer.fraction(boss.health, of: boss.maximumHealth)
        writer.field("attack", boss.attack)
        writer.number(boss.attackOnAll)
        if boss.phase > 1 { writer.field("phase", boss.phase) }
        switch boss.announcement {
        case nil: break
        case .heavyAttack: writer.word("announced heavyAttack")
        case .crush(let target): writer.field("announced crush", target.rawValue)
        }
        if boss.weakenedTurns > 0 { writer.field("weakened", boss.weakenedTurns) }
        if boss.exposedBlows > 0 { writer.field("exposed", boss.exposedBlows) }
        if let raid { raid.write(dealt: boss.dealt ?? 0, to: &writer) }
        guard let turn else { return }
        writer.line("turn")
        writer.number(turn.number)
        if let hero = turn.hero { writer.field("hero", hero.rawValue) } else { writer.word("boss") }
    }

    fileprivate init(from reader: inout AdventureReader, in kind: AdventureKind) throws(AdventureDecodingError) {
        try reader.expect("boss")
        let id = BossID(rawValue: try reader.word())
        guard let entry = BossCatalogue[id] else { throw reader.error("the catalogue has no boss '\(id)'") }
        try reader.expect("health")
        let (health, maximumHealth) = try reader.fraction(digits: kind == .raid ? RaidOpening.healthDigits : 9)
        guard health <= maximumHealth, maximumHealth > 0 else {
            throw reader.error("invalid health \(health)/\(maximumHealth)")
        }
        try reader.expect("attack")
        let attack = try reader.number()
        boss = BossInPlay(
            id,
            health: health,
            maximumHealth: maximumHealth,
            attack: attack,
            attackOnAll: try reader.number()
        )
        if reader.accept("phase") {
            let phase = try reader.number()
            guard entry.phases.indices.contains(phase - 1) else {
                throw reader.error("boss '\(id)' has no phase \(phase)")
            }
            boss.phase = phase
        }
        if reader.accept("announced") {
            if reader.accept("heavyAttack") {
                boss.announcement = .heavyAttack
            } else {
                try reader.expect("crush")
                boss.announcement = .crush(Seat(rawValue: try reader.number()))
            }
        }
        if reader.accept("weakened") { boss.weakenedTurns = try reader.number() }
        if reader.accept("exposed") { boss.exposedBlows = try reader.number() }
        if kind == .raid { (raid, boss.dealt) = try RaidLink.read(from: &reader) }
        if reader.accept("turn") {
            let number = try reader.number()
            if reader.accept("boss") {
                turn = Turn(number: number, hero: nil)
            } else {
                try reader.expect("hero")
                turn = Turn(number: number, hero: Seat(rawValue: try reader.number()))
            }
        }
    }
}

extension HeroInPlay {
    fileprivate func write(to writer: inout AdventureWriter) {
        writer.line("hero")
        writer.word(id.rawValue)
        writer.word("player")
        writer.word(playerID.description)
        writer.field("level", startingLevel)
        writer.field("experience", experience)
        writer.word("health")
        writer.fraction(health, of: maximumHealth)
        writer.field("potions", potions)
        if cooldown > 0 { writer.field("cooldown", cooldown) }
        if policy != .automatic {
            writer.word("policy")
            writer.word(policy.rawValue)
        }
        if isGuarding { writer.word("guarding") }
        if isChallenging { writer.word("challenging") }
        if hasLeft { writer.word("left") }
    }

    fileprivate init(from reader: inout AdventureReader) throws(AdventureDecodingError) {
        try reader.expect("hero")
        let id = HeroID(rawValue: try reader.word())
        guard let entry = HeroCatalogue[id] else { throw reader.error("the catalogue has no hero '\(id)'") }
        try reader.expect("player")
        let playerID: PlayerID = try reader.id()
        try reader.expect("level")
        let startingLevel = try reader.number()
        guard (1...Hero.maxLevel).contains(startingLevel) else { throw reader.error("invalid level \(startingLevel)") }
        try reader.expect("experience")
        let experience = try reader.number()
        try reader.expect("health")
        let (health, maximumHealth) = try reader.fraction()
        guard health <= maximumHealth, maximumHealth > 0 else {
            throw reader.error("invalid health \(health)/\(maximumHealth)")
        }
        try reader.expect("potions")
        let hero = Hero(playerID: playerID, id: id, experience: experience, potions: try reader.number())
        self.init(entry, of: hero, startingLevel: startingLevel, health: health, maximumHealth: maximumHealth)
        if reader.accept("cooldown") { cooldown = try reader.number() }
        if reader.accept("policy") { policy = try reader.value() }
        isGuarding = reader.accept("guarding")
        isChallenging = reader.accept("challenging")
        hasLeft = reader.accept("left")
    }
}
