// How an adventure is stored: as a text of words and numbers that a person can read, a line for each hero.
//
//     2 bossFight running
//     tick 25 sequence 69 rules 2 random 7c3c1188e50e6b2b
//     boss cinderwing health 149/260 attack 39 56 phase 2 announced crush 1
//     turn 26 hero 0
//     hero spouty player 01932a5c-77e0-7c41-9b0e-5d2f8a61c3e4 level 1 experience 40 health 75/112 potions 0 cooldown 3
//     hero boulder player 01932a5d-04b8-7e92-8c36-e1a7904fd52b level 1 experience 0 health 74/132 potions 1 guarding
//
// What is at its default is left out. The first number is the version of this form. Version 1 was JSON and begins with
// a brace; it is read and no longer written.

extension Adventure {
    /// The form that is stored; ``init(encoded:)`` reads it.
    public var encoded: String {
        var writer = StateWriter(capacity: 256 + 160 * heroes.count)
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
        writer.field("rules", rules)
        writer.word("random")
        writer.bits(generator.state)
        switch scene {
        case .journey(let journey): journey.write(to: &writer)
        case .bossFight(let fight): fight.write(to: &writer)
        }
        for hero in heroes { hero.write(to: &writer) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A stored adventure.
    /// - Parameter text: what ``encoded`` of this release or an older one gave.
    /// - Throws: ``UndecodableAdventure`` when the text is of an unknown version or of no adventure, when the catalogues of
    ///   this release lack something that the adventure needs to go on, or when it could not have come about by
    ///   playing: one such row must not stop the server.
    public init(encoded text: String) throws(UndecodableAdventure) {
        var reader = StateReader(text)
        try self.init(from: &reader)
        if let flaw { throw UndecodableAdventure(reason: flaw) }
    }

    private init(from reader: inout StateReader) throws(UndecodableAdventure) {
        guard reader.accept("2") else {
            throw reader.flaw("unknown version of the stored form; this release reads version 2")
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
        let rules = try reader.number()
        try reader.expect("random")
        let generator = Generator(seed: try reader.bits())
        let scene: Scene =
            switch kind {
            case .journey: .journey(try Journey(from: &reader))
            case .bossFight: .bossFight(try BossFight(from: &reader))
            }
        var heroes: [HeroInPlay] = []
        heroes.reserveCapacity(Self.mostHeroes)
        while !reader.isAtEnd {
            guard heroes.count < Self.mostHeroes else { throw reader.flaw("more than \(Self.mostHeroes) heroes") }
            heroes.append(try HeroInPlay(from: &reader))
        }
        guard !heroes.isEmpty else { throw reader.flaw("no heroes") }
        self.init(scene: scene, heroes: heroes, generator: generator)
        self.status = status
        self.tick = tick
        self.sequence = sequence
        self.rules = rules
    }

    /// What keeps the adventure from being played on; nil when nothing does.
    private var flaw: String? {
        let isOver = outcome != nil
        if !isOver, standing.isEmpty { return "nobody stands, and it is not over" }
        switch scene {
        case .journey(let journey):
            if !isOver, journey.step >= journey.steps { return "beyond its goal, and it is not over" }
        case .bossFight(let fight):
            if (fight.turn != nil) != (status == .running) { return "an open turn belongs to a running fight" }
            if let hero = fight.turn?.hero, !standing.contains(hero) { return "a turn of seat \(hero.rawValue)" }
            if case .crush(let target) = fight.boss.announcement, !standing.contains(target) {
                return "aim at seat \(target.rawValue)"
            }
            if !isOver, fight.boss.health == 0 { return "the boss is defeated, and it is not over" }
        }
        return nil
    }
}

extension Journey {
    fileprivate func write(to writer: inout StateWriter) {
        writer.line("region")
        writer.word(region.rawValue)
        writer.word("place")
        writer.word(place.rawValue)
        writer.word("step")
        writer.share(step, of: steps)
        writer.field("danger", dangerPercent)
        if beatsTold > 0 { writer.field("told", beatsTold) }
        if let encounter {
            writer.word("foe")
            writer.word(encounter.foe.rawValue)
            writer.share(encounter.health, of: encounter.maximumHealth)
        }
    }

    fileprivate init(from reader: inout StateReader) throws(UndecodableAdventure) {
        try reader.expect("region")
        let region = RegionID(rawValue: try reader.word())
        guard let content = RegionCatalogue[region] else {
            throw reader.flaw("no region '\(region)' in the catalogue")
        }
        try reader.expect("place")
        let place = PlaceID(rawValue: try reader.word())
        guard content.places.contains(where: { $0.id == place }) else {
            throw reader.flaw("'\(place)' is no place of '\(region)'")
        }
        try reader.expect("step")
        let (step, steps) = try reader.share()
        try reader.expect("danger")
        self.init(in: region, place: place, step: step, steps: steps, dangerPercent: try reader.number())
        if reader.accept("told") { beatsTold = try reader.number() }
        if reader.accept("foe") {
            let foe = FoeID(rawValue: try reader.word())
            guard content.foes.contains(where: { $0.id == foe }) else {
                throw reader.flaw("'\(foe)' is no foe of '\(region)'")
            }
            let (health, maximumHealth) = try reader.share()
            guard health > 0, health <= maximumHealth else { throw reader.flaw("\(health) of \(maximumHealth) health") }
            encounter = Encounter(foe: foe, health: health, maximumHealth: maximumHealth)
        }
    }
}

extension BossFight {
    fileprivate func write(to writer: inout StateWriter) {
        writer.line("boss")
        writer.word(boss.id.rawValue)
        writer.word("health")
        writer.share(boss.health, of: boss.maximumHealth)
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
        guard let turn else { return }
        writer.line("turn")
        writer.number(turn.number)
        if let hero = turn.hero { writer.field("hero", hero.rawValue) } else { writer.word("boss") }
    }

    fileprivate init(from reader: inout StateReader) throws(UndecodableAdventure) {
        try reader.expect("boss")
        let id = BossID(rawValue: try reader.word())
        guard let entry = BossCatalogue[id] else { throw reader.flaw("no boss '\(id)' in the catalogue") }
        try reader.expect("health")
        let (health, maximumHealth) = try reader.share()
        guard health <= maximumHealth, maximumHealth > 0 else {
            throw reader.flaw("\(health) of \(maximumHealth) health")
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
            guard entry.phases.indices.contains(phase - 1) else { throw reader.flaw("'\(id)' has no phase \(phase)") }
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
    fileprivate func write(to writer: inout StateWriter) {
        writer.line("hero")
        writer.word(id.rawValue)
        writer.word("player")
        writer.uuid(playerID.rawValue)
        writer.field("level", startingLevel)
        writer.field("experience", experience)
        writer.word("health")
        writer.share(health, of: maximumHealth)
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

    fileprivate init(from reader: inout StateReader) throws(UndecodableAdventure) {
        try reader.expect("hero")
        let id = HeroID(rawValue: try reader.word())
        guard let entry = HeroCatalogue[id] else { throw reader.flaw("no hero '\(id)' in the catalogue") }
        try reader.expect("player")
        let playerID = PlayerID(rawValue: try reader.uuid())
        try reader.expect("level")
        let startingLevel = try reader.number()
        guard (1...Hero.highestLevel).contains(startingLevel) else { throw reader.flaw("level \(startingLevel)") }
        try reader.expect("experience")
        let experience = try reader.number()
        try reader.expect("health")
        let (health, maximumHealth) = try reader.share()
        guard health <= maximumHealth, maximumHealth > 0 else {
            throw reader.flaw("\(health) of \(maximumHealth) health")
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
