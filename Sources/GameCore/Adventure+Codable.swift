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
    /// - Throws: `DecodingError.dataCorrupted` when the version is unknown, or when the catalogues of this release lack
    ///   something that the adventure needs to go on.
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
        for hero in heroes where HeroCatalogue[hero.id] == nil {
            throw corrupted(.heroes, "no hero '\(hero.id)' in the catalogue")
        }
        let scene: Scene
        if let journey = try container.decodeIfPresent(Journey.self, forKey: .journey) {
            guard RegionCatalogue[journey.region] != nil else {
                throw corrupted(.journey, "no region '\(journey.region)' in the catalogue")
            }
            scene = .journey(journey)
        } else {
            let fight = try container.decode(BossFight.self, forKey: .bossFight)
            guard BossCatalogue[fight.boss.id] != nil else {
                throw corrupted(.bossFight, "no boss '\(fight.boss.id)' in the catalogue")
            }
            scene = .bossFight(fight)
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
}
