extension Adventure {
    /// What a rest gives, in percent of a hero's health.
    private static let restPercent = 15...25
    /// A hero who is down comes round at one rest in so many.
    private static let restsToComeRound = 3
    /// A companion helps a hero who is down in one step of so many: rarely enough that players want to do it themselves.
    private static let stepsToHelp = 4
    /// What each hero who stands learns from an encounter.
    private static let encounterExperience = 8

    /// How often loot is how rare.
    private static let rarities = [
        Weighted(Rarity.common, weight: 72),
        Weighted(Rarity.rare, weight: 23),
        Weighted(Rarity.epic, weight: 5),
    ]

    /// What the finder of loot learns.
    private static func experience(of rarity: Rarity) -> Int {
        switch rarity {
        case .common: 6
        case .rare: 15
        case .epic: 40
        }
    }

    /// Takes one step; the last one reaches the goal.
    mutating func takeStep(_ events: inout [Event]) {
        guard case .journey(var journey) = scene else { preconditionFailure("only a journey takes steps") }
        journey.step += 1
        scene = .journey(journey)
        let region = journey.content
        if journey.step == journey.steps {
            move(to: region.places[region.places.count - 1].id, &events)
            finish(.completed, &events)
            return
        }

        switch generator.choice(of: region.happenings) {
        case .travel: break
        case .loot: findLoot(in: region, &events)
        case .hazard: meet(.hazard, damage: region.hazardDamage, &events)
        case .encounter:
            meet(.encounter, damage: region.encounterDamage, &events)
            for survivor in standing {
                gain(Self.encounterExperience, by: survivor, &events)
            }
        case .rest: rest(&events)
        }
        if events.isEmpty {
            // Travel, or a rest that nobody needs.
            travel(in: region, &events)
        }
        helpUp(&events)
        finishIfWiped(&events)
    }

    /// Carries out a command; it takes no step.
    mutating func carryOutOnTheWay(_ command: Command, by seat: Seat, _ events: inout [Event]) throws(Refusal) {
        switch command {
        case .potion(let target):
            if let refusal = refusal(ofPotionBy: seat, to: target ?? seat) { throw refusal }
            givePotion(by: seat, to: target ?? seat, &events)
        case .attack, .guardUp, .pass: throw .noBoss
        }
    }

    private mutating func move(to place: PlaceID, _ events: inout [Event]) {
        guard case .journey(var journey) = scene else { preconditionFailure("only a journey has places") }
        journey.place = place
        scene = .journey(journey)
        events.append(.travelled(place: place))
    }

    /// Goes to any other place than the goal.
    private mutating func travel(in region: RegionCatalogue.Entry, _ events: inout [Event]) {
        let others = region.places.dropLast().map(\.id).filter { $0 != place }
        move(to: generator.choice(of: others), &events)
    }

    private mutating func findLoot(in region: RegionCatalogue.Entry, _ events: inout [Event]) {
        let finder = generator.choice(of: standing)
        let rarity = generator.choice(of: Self.rarities)
        let item = generator.choice(of: region.loot[rarity])
        if item == .potion {
            heroes[finder].potions += 1
        }
        events.append(.lootFound(hero: finder, item: item, rarity: rarity))
        gain(Self.experience(of: rarity), by: finder, &events)
    }

    /// Hurts some heroes who stand, and never the whole party.
    ///
    /// It reaches half of a party on average, whatever its size; a lone hero is reached each time, and hurt half as much.
    private mutating func meet(_ danger: Harm, damage: ClosedRange<Int>, _ events: inout [Event]) {
        let partySize = seatsInPlay.count
        var untouched = standing
        let victims = min(generator.number(in: 1...max(partySize - 1, 1)), untouched.count)
        for _ in 0..<victims {
            let victim = untouched.remove(at: generator.number(below: untouched.count))
            let blow = generator.number(in: damage)
            hurt(victim, by: partySize == 1 ? blow / 2 : blow, cause: danger, &events)
        }
    }

    private mutating func rest(_ events: inout [Event]) {
        for seat in seatsInPlay where heroes[seat].health < heroes[seat].maximumHealth {
            if heroes[seat].isDown, !generator.happens(onceIn: Self.restsToComeRound) { continue }
            heal(seat, percent: generator.number(in: Self.restPercent), source: .rest, by: nil, &events)
        }
    }

    /// A hero who stands and carries a potion helps one who is down, now and then; the lowest seats first.
    private mutating func helpUp(_ events: inout [Event]) {
        guard
            let downed = seatsInPlay.first(where: { heroes[$0].isDown }),
            let helper = standing.first(where: { heroes[$0].potions > 0 }),
            generator.happens(onceIn: Self.stepsToHelp)
        else { return }
        givePotion(by: helper, to: downed, &events)
    }
}
