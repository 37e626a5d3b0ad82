/// One run of a party, from a seed, as a value: the whole game.
///
/// ``advance(_:)`` takes one input and gives the events that come of it. There is no clock and no chance from outside:
/// the generator is part of the value, so the same opening and the same inputs give the same events, byte for byte, on
/// every machine (``replay(_:inputs:)``).
///
/// A journey walks through a region, one step a ``Input/tick``, until its last step or until nobody stands. A boss fight
/// goes in turns, one turn a tick; a player's command resolves the hero's turn before the tick does.
/// Every input that is not refused gives at least one event.
public struct Adventure: Hashable, Sendable {
    /// The most seats an adventure can have.
    public static let mostHeroes = Party.largestCapacity

    /// The rules of this release: a number that grows whenever the same seed and inputs begin to give other events.
    ///
    /// An adventure that began under older rules goes on under the newest, and cannot be replayed from its beginning.
    public static let currentRules = 2

    /// Where it is in its life.
    public internal(set) var status: AdventureStatus = .ready
    /// Steps of a journey or turns of a fight that have been played.
    public internal(set) var tick = 0
    /// How many events there have been; the number of the newest.
    public internal(set) var sequence = 0
    /// The heroes by seat, 1 to 8; nobody who leaves is taken out.
    public internal(set) var heroes: [HeroInPlay]
    /// The rules that it began under, see ``currentRules``.
    public internal(set) var rules = Self.currentRules
    var scene: Scene
    var generator: Generator

    init(scene: Scene, heroes: [HeroInPlay], generator: Generator) {
        precondition((1...Self.mostHeroes).contains(heroes.count), "1 to 8 heroes, not \(heroes.count)")
        self.scene = scene
        self.heroes = heroes
        self.generator = generator
    }

    /// What an adventure of either kind has of its own.
    enum Scene: Hashable, Sendable {
        case journey(Journey)
        case bossFight(BossFight)
    }
}

extension Adventure {
    /// A journey that waits for its start.
    /// - Parameters:
    ///   - region: a region of ``RegionCatalogue``.
    ///   - heroes: 1 to 8, each of ``HeroCatalogue`` and of a player of its own; their order is their seats.
    ///   - seed: decides everything that is left to chance.
    /// - Returns: the opening, to be kept for replays.
    public static func journey(in region: RegionID, heroes: [Hero], seed: UInt64) -> Self {
        var generator = Generator(seed: seed)
        let heroes = heroes.map { HeroInPlay($0) }
        precondition(!heroes.isEmpty, "1 to 8 heroes, not 0")
        let journey = Journey(in: region, heroes: heroes, using: &generator)
        return Self(scene: .journey(journey), heroes: heroes, generator: generator)
    }

    /// A boss fight that waits for its start.
    /// - Parameters:
    ///   - boss: a boss of ``BossCatalogue``; it is scaled to the heroes, see ``BossInPlay``.
    ///   - heroes: 1 to 8, each of ``HeroCatalogue`` and of a player of its own; their order is their seats.
    ///   - seed: decides everything that is left to chance.
    /// - Returns: the opening, to be kept for replays.
    public static func bossFight(against boss: BossID, heroes: [Hero], seed: UInt64) -> Self {
        let heroes = heroes.map { HeroInPlay($0) }
        precondition(!heroes.isEmpty, "1 to 8 heroes, not 0")
        let fight = BossFight(boss: BossInPlay(boss, facing: heroes))
        return Self(scene: .bossFight(fight), heroes: heroes, generator: Generator(seed: seed))
    }

    /// Whether it travels or fights.
    public var kind: AdventureKind {
        switch scene {
        case .journey: .journey
        case .bossFight: .bossFight
        }
    }

    /// How it ended; nil before.
    public var outcome: Outcome? {
        if case .ended(let outcome) = status { outcome } else { nil }
    }

    /// The foe in the way of a journey's party, nil when there is none.
    public var foe: FoeID? { journey?.encounter?.foe }

    /// The region of a journey.
    public var region: RegionID? { journey?.region }

    /// Where a journey's party is.
    public var place: PlaceID? { journey?.place }

    /// How far a journey has come.
    public var progress: JourneyProgress? {
        journey.map { JourneyProgress(step: $0.step, steps: $0.steps) }
    }

    /// The boss of a boss fight.
    public var boss: BossInPlay? { bossFight?.boss }

    /// The open turn of a boss fight: there is exactly one while it runs, and none before and after.
    public var turn: Turn? { bossFight?.turn }

    private var journey: Journey? {
        if case .journey(let journey) = scene { journey } else { nil }
    }

    private var bossFight: BossFight? {
        if case .bossFight(let fight) = scene { fight } else { nil }
    }
}

extension Adventure {
    /// Moves the adventure forward by one input.
    /// - Returns: what came of it, in order; at least one event, the first of which has the number `sequence + 1`.
    /// - Throws: ``Refusal``; the adventure is untouched then.
    public mutating func advance(_ input: Input) throws(Refusal) -> [Event] {
        var events: [Event] = []
        try advance(input, appendingTo: &events)
        return events
    }

    /// Moves the adventure forward by one input; a buffer that is used again makes most ticks free of allocations.
    /// - Parameters:
    ///   - input: what moves it.
    ///   - events: what came of it is put at its end, in order; at least one event.
    /// - Throws: ``Refusal``; the adventure and the events are untouched then.
    public mutating func advance(_ input: Input, appendingTo events: inout [Event]) throws(Refusal) {
        switch (status, input) {
        case (.ended, _): throw .adventureOver
        case (.ready, .start), (.running, .tick), (.running, .command), (.running, .join), (.running, .leave),
            (.running, .end):
            break
        case (.ready, _), (.running, .start): throw .notStarted
        }

        let known = events.count
        switch input {
        case .start: start(&events)
        case .tick: playTick(&events)
        case .command(let command, let player): try carryOut(command, by: player, &events)
        case .join(let hero): try letIn(hero, &events)
        case .leave(let player): try letGo(player, &events)
        case .end: finish(.endedByOperator, &events)
        }
        sequence += events.count - known
    }

    private mutating func start(_ events: inout [Event]) {
        status = .running
        events.append(.adventureStarted(kind: kind))
        if case .bossFight(var fight) = scene {
            events.append(.bossAppeared(boss: fight.boss.id))
            openTurn(number: 1, after: nil, of: &fight, &events)
            scene = .bossFight(fight)
        }
    }

    private mutating func playTick(_ events: inout [Event]) {
        tick += 1
        switch scene {
        case .journey: takeStep(&events)
        case .bossFight: playTurn(&events)
        }
    }

    private mutating func carryOut(
        _ command: Command,
        by player: PlayerID,
        _ events: inout [Event]
    ) throws(Refusal) {
        guard let seat = seat(of: player), !heroes[seat].hasLeft else { throw .notAMember }
        switch scene {
        case .journey: try carryOutOnTheWay(command, by: seat, &events)
        case .bossFight: try carryOutInTurn(command, by: seat, &events)
        }
    }

    /// Ends it; ``Event/adventureEnded(outcome:)`` is always the last event.
    mutating func finish(_ outcome: Outcome, _ events: inout [Event]) {
        status = .ended(outcome)
        if case .bossFight(var fight) = scene {
            fight.turn = nil
            scene = .bossFight(fight)
        }
        events.append(.adventureEnded(outcome: outcome))
    }
}
