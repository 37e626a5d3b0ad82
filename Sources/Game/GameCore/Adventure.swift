/// One adventure of a party, played from a seed: the whole game as a value.
///
/// ``advance(_:)`` takes one ``AdventureInput`` and returns the events that result from it. An adventure reads no
/// clock and draws no random number from outside: the generator is part of the value. The same opening and the same
/// inputs therefore give the same events, byte for byte, on every machine; see ``replay(_:inputs:)``.
///
/// A journey walks through a region, one step a ``AdventureInput/tick``, until its last step or until no hero stands.
/// A boss fight or a raid fight proceeds in turns, one turn a tick; a player's command resolves the hero's turn before its tick. Every
/// input that is not refused results in at least one event.
public struct Adventure: Hashable, Sendable {
    /// The maximum number of seats.
    public static let maxHeroes = Party.maxCapacity

    /// The stage of the adventure: ready, running or ended.
    public internal(set) var status: AdventureStatus = .ready
    /// The number of steps of a journey, or turns of a fight, that have been played.
    public internal(set) var tick = 0
    /// The number of events so far; also the number of the newest event.
    public internal(set) var sequence = 0
    /// The heroes by seat, 1 to 8.
    ///
    /// A hero whose player leaves stays in the array.
    public internal(set) var heroes: [HeroInPlay]
    /// The version of the rules under which the adventure began, and is played.
    public let rules: RulesVersion
    var scene: Scene
    var generator: Generator

    init(scene: Scene, heroes: [HeroInPlay], generator: Generator, rules: RulesVersion) {
        precondition((1...Self.maxHeroes).contains(heroes.count), "an adventure has 1 to 8 heroes, not \(heroes.count)")
        self.scene = scene
        self.heroes = heroes
        self.generator = generator
        self.rules = rules
    }

    /// The state that is specific to the kind of adventure.
    enum Scene: Hashable, Sendable {
        case journey(Journey)
        case bossFight(BossFight)
    }
}

extension Adventure {
    /// Creates a journey that is ready to start.
    /// - Parameters:
    ///   - region: a region of ``RegionCatalogue``.
    ///   - heroes: 1 to 8 heroes of ``HeroCatalogue``, each of another player; their order is the order of seats.
    ///   - seed: the seed of every random choice.
    ///   - rules: the version of the rules.
    /// - Returns: the adventure before its first input: the opening, from which a replay starts.
    public static func journey(in region: RegionID, heroes: [Hero], seed: UInt64, rules: RulesVersion = .current)
        -> Self
    {
        var generator = Generator(seed: seed)
        let heroes = heroes.map { HeroInPlay($0) }
        precondition(!heroes.isEmpty, "an adventure has 1 to 8 heroes, not 0")
        let journey = Journey(in: region, heroes: heroes, using: &generator)
        return Self(scene: .journey(journey), heroes: heroes, generator: generator, rules: rules)
    }

    /// Creates a boss fight that is ready to start.
    /// - Parameters:
    ///   - boss: a boss of ``BossCatalogue``; it is scaled to the heroes, see ``BossInPlay``.
    ///   - heroes: 1 to 8 heroes of ``HeroCatalogue``, each of another player; their order is the order of seats.
    ///   - seed: the seed of every random choice.
    ///   - rules: the version of the rules.
    /// - Returns: the adventure before its first input: the opening, from which a replay starts.
    public static func bossFight(against boss: BossID, heroes: [Hero], seed: UInt64, rules: RulesVersion = .current)
        -> Self
    {
        let heroes = heroes.map { HeroInPlay($0) }
        precondition(!heroes.isEmpty, "an adventure has 1 to 8 heroes, not 0")
        let fight = BossFight(boss: BossInPlay(boss, facing: heroes, under: rules))
        return Self(scene: .bossFight(fight), heroes: heroes, generator: Generator(seed: seed), rules: rules)
    }

    /// The kind of the adventure.
    public var kind: AdventureKind {
        switch scene {
        case .journey: .journey
        case .bossFight(let fight): fight.raid == nil ? .bossFight : .raid
        }
    }

    /// The outcome of the adventure; nil before its end.
    public var outcome: AdventureOutcome? {
        if case .ended(let outcome) = status { outcome } else { nil }
    }

    /// The foe of the current encounter; nil without an encounter and in a boss fight.
    public var foe: FoeID? { journey?.encounter?.foe }

    /// The region of a journey; nil in a boss fight.
    public var region: RegionID? { journey?.region }

    /// The current location of a journey's party; nil in a boss fight.
    public var location: LocationID? { journey?.location }

    /// The progress of a journey; nil in a boss fight.
    public var progress: JourneyProgress? {
        journey.map { JourneyProgress(step: $0.step, steps: $0.steps) }
    }

    /// The boss of a boss fight or a raid fight; nil on a journey.
    public var boss: BossInPlay? { bossFight?.boss }

    /// The open turn of a boss fight.
    ///
    /// A running fight always has one. Nil before the start, after the end and on a journey.
    public var turn: Turn? { bossFight?.turn }

    private var journey: Journey? {
        if case .journey(let journey) = scene { journey } else { nil }
    }

    var bossFight: BossFight? {
        if case .bossFight(let fight) = scene { fight } else { nil }
    }
}

extension Adventure {
    /// Advances the adventure by one input.
    /// - Returns: the resulting events in order, at least one; the first has the number `sequence + 1`.
    /// - Throws: ``AdventureRefusal`` if the rules do not allow the input; the adventure is then unchanged.
    public mutating func advance(_ input: AdventureInput) throws(AdventureRefusal) -> [AdventureEvent] {
        var events: [AdventureEvent] = []
        try advance(input, appendingTo: &events)
        return events
    }

    /// Advances the adventure by one input and appends the events to a buffer; reusing a buffer avoids most
    /// allocations.
    /// - Parameters:
    ///   - input: the input.
    ///   - events: the buffer; it receives the resulting events in order, at least one.
    /// - Throws: ``AdventureRefusal`` if the rules do not allow the input; the adventure and the buffer are then
    ///   unchanged.
    public mutating func advance(_ input: AdventureInput, appendingTo events: inout [AdventureEvent])
        throws(AdventureRefusal)
    {
        switch (status, input) {
        case (.ended, _): throw .adventureOver
        case (.ready, .start), (.running, .tick), (.running, .command), (.running, .join), (.running, .leave),
            (.running, .end), (.running, .raid):
            break
        case (.ready, _), (.running, .start): throw .notStarted
        }

        let countBefore = events.count
        switch input {
        case .start: start(&events)
        case .tick: playTick(&events)
        case .command(let command, let player): try perform(command, by: player, &events)
        case .join(let hero): try join(hero, &events)
        case .leave(let player): try leave(player, &events)
        case .end: finish(.endedByOperator, &events)
        case .raid(let decision): try take(decision, &events)
        }
        sequence += events.count - countBefore
    }

    private mutating func start(_ events: inout [AdventureEvent]) {
        status = .running
        events.append(.adventureStarted(kind: kind))
        if case .bossFight(var fight) = scene {
            events.append(.bossAppeared(boss: fight.boss.id))
            openTurn(number: 1, after: nil, of: &fight, &events)
            scene = .bossFight(fight)
        }
    }

    private mutating func playTick(_ events: inout [AdventureEvent]) {
        tick += 1
        switch scene {
        case .journey: takeStep(&events)
        case .bossFight: playTurn(&events)
        }
    }

    private mutating func perform(
        _ command: Command,
        by player: PlayerID,
        _ events: inout [AdventureEvent]
    ) throws(AdventureRefusal) {
        guard let seat = seat(of: player), !heroes[seat].hasLeft else { throw .notAMember }
        switch scene {
        case .journey: try performOnJourney(command, by: seat, &events)
        case .bossFight: try performInFight(command, by: seat, &events)
        }
    }

    /// Ends the adventure; ``AdventureEvent/adventureEnded(outcome:)`` is always the last event.
    mutating func finish(_ outcome: AdventureOutcome, _ events: inout [AdventureEvent]) {
        status = .ended(outcome)
        if case .bossFight(var fight) = scene {
            fight.turn = nil
            scene = .bossFight(fight)
        }
        events.append(.adventureEnded(outcome: outcome))
    }
}
