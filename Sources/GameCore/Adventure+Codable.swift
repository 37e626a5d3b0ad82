extension Adventure: Codable {
    /// The version of the encoded form that is written; there is none older.
    private static let encodedVersion = 1

    private enum CodingKeys: String, CodingKey {
        case version
        case status
        case outcome
        case tick
        case sequence
        case random
        case heroes
        case journey
        case bossFight
    }

    private enum Stage: String, Codable {
        case ready
        case running
        case ended
    }

    /// Decodes a stored adventure.
    /// - Throws: `DecodingError.dataCorrupted` when the version is unknown, when the catalogues of this release lack
    ///   something that the adventure needs to go on, or when it could not have come about by playing: one such row
    ///   must not stop the server.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func corrupted(_ key: CodingKeys, _ reason: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: reason)
        }
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.encodedVersion else {
            throw corrupted(.version, "stored in version \(version), and only \(Self.encodedVersion) can be read")
        }
        let heroes = try container.decode([HeroInPlay].self, forKey: .heroes)
        guard (1...Self.mostHeroes).contains(heroes.count) else {
            throw corrupted(.heroes, "\(heroes.count) heroes instead of 1 to \(Self.mostHeroes)")
        }
        let journey = try container.decodeIfPresent(Journey.self, forKey: .journey)
        let scene: Scene =
            if let journey {
                .journey(journey)
            } else {
                .bossFight(try container.decode(BossFight.self, forKey: .bossFight))
            }
        self.init(
            scene: scene,
            heroes: heroes,
            generator: try container.decode(Generator.self, forKey: .random)
        )
        status =
            switch try container.decode(Stage.self, forKey: .status) {
            case .ready: .ready
            case .running: .running
            case .ended: .ended(try container.decode(Outcome.self, forKey: .outcome))
            }
        tick = try container.decode(Int.self, forKey: .tick)
        sequence = try container.decode(Int.self, forKey: .sequence)
        if let flaw {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: flaw))
        }
    }

    /// Encodes everything that is needed to go on.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.encodedVersion, forKey: .version)
        switch status {
        case .ready: try container.encode(Stage.ready, forKey: .status)
        case .running: try container.encode(Stage.running, forKey: .status)
        case .ended(let outcome):
            try container.encode(Stage.ended, forKey: .status)
            try container.encode(outcome, forKey: .outcome)
        }
        try container.encode(tick, forKey: .tick)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(generator, forKey: .random)
        try container.encode(heroes, forKey: .heroes)
        switch scene {
        case .journey(let journey): try container.encode(journey, forKey: .journey)
        case .bossFight(let fight): try container.encode(fight, forKey: .bossFight)
        }
    }

    /// What keeps the adventure from being played on; nil when nothing does.
    private var flaw: String? {
        for hero in heroes {
            if HeroCatalogue[hero.id] == nil { return "no hero '\(hero.id)' in the catalogue" }
            if hero.maximumHealth < 1 || hero.health < 0 || hero.health > hero.maximumHealth || hero.potions < 0 {
                return "health \(hero.health) of \(hero.maximumHealth), \(hero.potions) potions"
            }
            if !(1...Hero.highestLevel).contains(hero.level) { return "level \(hero.level)" }
        }
        if status == .running, standing.isEmpty { return "nobody stands, and it is not over" }
        switch scene {
        case .journey(let journey):
            if RegionCatalogue[journey.region] == nil { return "no region '\(journey.region)' in the catalogue" }
        case .bossFight(let fight):
            if BossCatalogue[fight.boss.id] == nil { return "no boss '\(fight.boss.id)' in the catalogue" }
            if (fight.turn != nil) != (status == .running) { return "an open turn belongs to a running fight" }
            if let hero = fight.turn?.hero, !seatsInPlay.contains(hero) { return "a turn of seat \(hero.rawValue)" }
        }
        return nil
    }
}
