extension Event {
    /// The names of all events, in the order in which ``Event`` declares them.
    public static let allKinds: [String] = Kind.allCases.map(\.rawValue)

    /// The event's name in the log.
    public var kind: String { codableKind.rawValue }

    /// The events without what goes with them.
    private enum Kind: String, Codable, CaseIterable {
        case adventureStarted
        case storyTold
        case travelled
        case lootFound
        case hazardStruck
        case restTaken
        case encounterMet
        case foeStruck
        case encounterWon
        case heroHurt
        case heroHealed
        case heroDown
        case heroRevived
        case heroLevelledUp
        case bossAppeared
        case turnStarted
        case actionTaken
        case bossActed
        case bossHealed
        case bossHindered
        case bossEnraged
        case bossDefeated
        case partyWiped
        case memberJoined
        case memberLeft
        case policyChosen
        case adventureEnded
    }

    private var codableKind: Kind {
        switch self {
        case .adventureStarted: .adventureStarted
        case .storyTold: .storyTold
        case .travelled: .travelled
        case .lootFound: .lootFound
        case .hazardStruck: .hazardStruck
        case .restTaken: .restTaken
        case .encounterMet: .encounterMet
        case .foeStruck: .foeStruck
        case .encounterWon: .encounterWon
        case .heroHurt: .heroHurt
        case .heroHealed: .heroHealed
        case .heroDown: .heroDown
        case .heroRevived: .heroRevived
        case .heroLevelledUp: .heroLevelledUp
        case .bossAppeared: .bossAppeared
        case .turnStarted: .turnStarted
        case .actionTaken: .actionTaken
        case .bossActed: .bossActed
        case .bossHealed: .bossHealed
        case .bossHindered: .bossHindered
        case .bossEnraged: .bossEnraged
        case .bossDefeated: .bossDefeated
        case .partyWiped: .partyWiped
        case .memberJoined: .memberJoined
        case .memberLeft: .memberLeft
        case .policyChosen: .policyChosen
        case .adventureEnded: .adventureEnded
        }
    }
}

extension Event: Codable {
    /// `kind` is the event's name; the adventure's own kind is `adventure` therefore.
    private enum CodingKeys: String, CodingKey {
        case kind
        case action
        case adventure
        case amount
        case beat
        case boss
        case cause
        case damage
        case foe
        case hazard
        case helper
        case hindrance
        case hero
        case item
        case level
        case move
        case outcome
        case phase
        case place
        case policy
        case rarity
        case rest
        case source
        case target
        case turn
    }

    /// Decodes the flat form, `{"kind": "heroHurt", "hero": 2, "amount": 7, "cause": "hazard"}`.
    /// - Throws: `DecodingError` when the kind is unknown or something that it needs is missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value {
            try container.decode(Value.self, forKey: key)
        }
        func seat(_ key: CodingKeys) throws -> Seat? { try container.decodeIfPresent(Seat.self, forKey: key) }
        let kind: Kind = try value(.kind)
        self =
            switch kind {
            case .adventureStarted: .adventureStarted(kind: try value(.adventure))
            case .storyTold: .storyTold(beat: try value(.beat))
            case .travelled: .travelled(place: try value(.place))
            case .lootFound:
                .lootFound(hero: try value(.hero), item: try value(.item), rarity: try value(.rarity))
            case .hazardStruck: .hazardStruck(hazard: try value(.hazard))
            case .restTaken: .restTaken(rest: try value(.rest))
            case .encounterMet: .encounterMet(foe: try value(.foe))
            case .foeStruck: .foeStruck(foe: try value(.foe), damage: try value(.damage))
            case .encounterWon: .encounterWon(foe: try value(.foe))
            case .heroHurt: .heroHurt(hero: try value(.hero), amount: try value(.amount), cause: try value(.cause))
            case .heroHealed:
                .heroHealed(hero: try value(.hero), amount: try value(.amount), source: try value(.source))
            case .heroDown: .heroDown(hero: try value(.hero))
            case .heroRevived: .heroRevived(hero: try value(.hero), helper: try seat(.helper))
            case .heroLevelledUp: .heroLevelledUp(hero: try value(.hero), level: try value(.level))
            case .bossAppeared: .bossAppeared(boss: try value(.boss))
            case .turnStarted: .turnStarted(turn: try value(.turn), hero: try seat(.hero))
            case .actionTaken:
                .actionTaken(hero: try value(.hero), action: try value(.action), damage: try value(.damage))
            case .bossActed: .bossActed(move: try value(.move), target: try seat(.target))
            case .bossHealed: .bossHealed(boss: try value(.boss), amount: try value(.amount))
            case .bossHindered: .bossHindered(boss: try value(.boss), by: try value(.hindrance))
            case .bossEnraged: .bossEnraged(boss: try value(.boss), phase: try value(.phase))
            case .bossDefeated: .bossDefeated(boss: try value(.boss))
            case .partyWiped: .partyWiped
            case .memberJoined: .memberJoined(hero: try value(.hero))
            case .memberLeft: .memberLeft(hero: try value(.hero))
            case .policyChosen: .policyChosen(hero: try value(.hero), policy: try value(.policy))
            case .adventureEnded: .adventureEnded(outcome: try value(.outcome))
            }
    }

    /// Encodes the flat form; what an event does not have is left out.
    ///
    /// It shares its object with whatever else the encoder's owner puts there: `sequence`, `tick` and `at` in REST.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(codableKind, forKey: .kind)
        switch self {
        case .adventureStarted(let kind):
            try container.encode(kind, forKey: .adventure)
        case .storyTold(let beat):
            try container.encode(beat, forKey: .beat)
        case .travelled(let place):
            try container.encode(place, forKey: .place)
        case .lootFound(let hero, let item, let rarity):
            try container.encode(hero, forKey: .hero)
            try container.encode(item, forKey: .item)
            try container.encode(rarity, forKey: .rarity)
        case .hazardStruck(let hazard):
            try container.encode(hazard, forKey: .hazard)
        case .restTaken(let rest):
            try container.encode(rest, forKey: .rest)
        case .encounterMet(let foe), .encounterWon(let foe):
            try container.encode(foe, forKey: .foe)
        case .foeStruck(let foe, let damage):
            try container.encode(foe, forKey: .foe)
            try container.encode(damage, forKey: .damage)
        case .heroHurt(let hero, let amount, let cause):
            try container.encode(hero, forKey: .hero)
            try container.encode(amount, forKey: .amount)
            try container.encode(cause, forKey: .cause)
        case .heroHealed(let hero, let amount, let source):
            try container.encode(hero, forKey: .hero)
            try container.encode(amount, forKey: .amount)
            try container.encode(source, forKey: .source)
        case .heroRevived(let hero, let helper):
            try container.encode(hero, forKey: .hero)
            try container.encodeIfPresent(helper, forKey: .helper)
        case .heroLevelledUp(let hero, let level):
            try container.encode(hero, forKey: .hero)
            try container.encode(level, forKey: .level)
        case .turnStarted(let turn, let hero):
            try container.encode(turn, forKey: .turn)
            try container.encodeIfPresent(hero, forKey: .hero)
        case .actionTaken(let hero, let action, let damage):
            try container.encode(hero, forKey: .hero)
            try container.encode(action, forKey: .action)
            try container.encode(damage, forKey: .damage)
        case .bossActed(let move, let target):
            try container.encode(move, forKey: .move)
            try container.encodeIfPresent(target, forKey: .target)
        case .bossHealed(let boss, let amount):
            try container.encode(boss, forKey: .boss)
            try container.encode(amount, forKey: .amount)
        case .bossHindered(let boss, let hindrance):
            try container.encode(boss, forKey: .boss)
            try container.encode(hindrance, forKey: .hindrance)
        case .bossEnraged(let boss, let phase):
            try container.encode(boss, forKey: .boss)
            try container.encode(phase, forKey: .phase)
        case .bossAppeared(let boss), .bossDefeated(let boss):
            try container.encode(boss, forKey: .boss)
        case .heroDown(let hero), .memberJoined(let hero), .memberLeft(let hero):
            try container.encode(hero, forKey: .hero)
        case .partyWiped:
            break
        case .policyChosen(let hero, let policy):
            try container.encode(hero, forKey: .hero)
            try container.encode(policy, forKey: .policy)
        case .adventureEnded(let outcome):
            try container.encode(outcome, forKey: .outcome)
        }
    }
}
