extension Adventure {
    /// A hero who is down comes round at one rest in so many.
    private static let restsToComeRound = 3
    /// A companion helps a hero who is down in one step of so many: rarely enough that players want to do it themselves.
    private static let stepsToHelp = 4
    /// A foe tires: each step of an encounter takes at least this much of its health, so that none lasts more than four.
    private static let leastStruckPercent = 25
    /// What each hero who stands learns when a foe gives way.
    private static let encounterExperience = 10
    /// What each hero learns at the goal.
    private static let goalExperience = 60

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
        if journey.step == journey.steps {
            arrive(&journey, &events)
        } else if journey.encounter != nil {
            fightOn(&journey, &events)
        } else if let beat = nextBeat(of: journey) {
            journey.beatsTold += 1
            events.append(.storyTold(beat: beat))
        } else {
            happen(&journey, &events)
        }
        scene = .journey(journey)
        guard status == .running else { return }
        helpUp(&events)
        finishIfWiped(&events)
    }

    /// Carries out a command; it takes no step.
    mutating func carryOutOnTheWay(_ command: Command, by seat: Seat, _ events: inout [Event]) throws(Refusal) {
        switch command {
        case .potion(let target):
            if let refusal = refusal(ofPotionBy: seat, to: target ?? seat) { throw refusal }
            givePotion(by: seat, to: target ?? seat, &events)
        case .attack, .guardUp, .special, .revive, .flee, .pass, .policy: throw .noBoss
        }
    }

    private mutating func arrive(_ journey: inout Journey, _ events: inout [Event]) {
        let places = journey.content.places
        journey.place = places[places.count - 1].id
        journey.encounter = nil
        events.append(.travelled(place: journey.place))
        for seat in seatsInPlay {
            gain(Self.goalExperience, by: seat, &events)
        }
        finish(.completed, &events)
    }

    /// The part of the story that is due, nil when none is.
    private func nextBeat(of journey: Journey) -> BeatID? {
        let beats = journey.content.beats
        guard journey.beatsTold < beats.count else { return nil }
        let beat = beats[journey.beatsTold]
        return journey.step * 100 >= journey.steps * beat.wayPercent ? beat.id : nil
    }

    private mutating func happen(_ journey: inout Journey, _ events: inout [Event]) {
        let region = journey.content
        switch generator.choice(of: region.happenings) {
        case .loot:
            findLoot(in: region, &events)
        case .hazard:
            let hazard = generator.choice(of: region.hazards)
            events.append(.hazardStruck(hazard: hazard.id))
            comeOverSome(hazard, dangerPercent: journey.dangerHere, &events)
        case .encounter where journey.act != .end:
            meet(generator.choice(of: region.foes), on: &journey, &events)
        case .rest where seatsInPlay.contains(where: { heroes[$0].health < heroes[$0].maximumHealth }):
            rest(at: generator.choice(of: region.rests), &events)
        case .travel, .encounter, .rest:
            // Nobody stands in the way so near the goal, and nobody rests who is unhurt.
            travel(&journey, &events)
        }
    }

    /// Goes to any other place than the goal.
    private mutating func travel(_ journey: inout Journey, _ events: inout [Event]) {
        let places = journey.content.places.dropLast()
        let here = places.firstIndex { $0.id == journey.place } ?? 0
        let next = generator.number(below: places.count - 1)
        journey.place = places[next < here ? next : next + 1].id
        events.append(.travelled(place: journey.place))
    }

    private mutating func findLoot(in region: RegionCatalogue.Entry, _ events: inout [Event]) {
        let finder = generator.choice(of: standing)
        let rarity = generator.choice(of: Self.rarities)
        let item = generator.choice(of: region.loot[rarity])
        if item == .potion {
            heroes[finder].potions = min(heroes[finder].potions + 1, Hero.mostCounted)
        }
        events.append(.lootFound(hero: finder, item: item, rarity: rarity))
        gain(Self.experience(of: rarity), by: finder, &events)
    }

    /// Meets a foe, who strikes first.
    private mutating func meet(_ foe: RegionCatalogue.Foe, on journey: inout Journey, _ events: inout [Event]) {
        let health = max(strengthOfAll * foe.healthPercent / 100, 1)
        journey.encounter = Journey.Encounter(foe: foe.id, health: health, maximumHealth: health)
        events.append(.encounterMet(foe: foe.id))
        strikeBack(with: foe.damage, dangerPercent: journey.dangerHere, &events)
    }

    /// The party strikes, and a foe who still stands strikes back.
    private mutating func fightOn(_ journey: inout Journey, _ events: inout [Event]) {
        guard var encounter = journey.encounter else { preconditionFailure("no foe to fight") }
        let blow = generator.spread(strengthOfAll)
        let least = (encounter.maximumHealth * Self.leastStruckPercent + 99) / 100
        let damage = min(max(blow, least), encounter.health)
        encounter.health -= damage
        events.append(.foeStruck(foe: encounter.foe, damage: damage))
        if encounter.health == 0 {
            journey.encounter = nil
            events.append(.encounterWon(foe: encounter.foe))
            for survivor in standing {
                gain(Self.encounterExperience, by: survivor, &events)
            }
        } else {
            journey.encounter = encounter
            guard let foe = journey.content.foes.first(where: { $0.id == encounter.foe }) else {
                preconditionFailure("'\(encounter.foe)' is no foe of \(journey.region)")
            }
            strikeBack(with: foe.damage, dangerPercent: journey.dangerHere, &events)
        }
    }

    /// What the blows of all who stand take together.
    private var strengthOfAll: Int {
        standing.reduce(0) { $0 + heroes[$1].strengths.attackHundredths } / 100
    }

    /// A foe's blows, as many as half of the party, where chance rounds; whoever is drawn twice is hurt twice.
    private mutating func strikeBack(with damage: ClosedRange<Int>, dangerPercent: Int, _ events: inout [Event]) {
        let blows = (seatsInPlay.count + generator.number(below: 2)) / 2
        for _ in 0..<blows where !standing.isEmpty {
            let blow = generator.number(in: damage) * dangerPercent
            hurt(generator.choice(of: standing), byHundredths: blow, cause: .encounter, &events)
        }
    }

    /// A hazard's blows: at 1 to all but one of a party's heroes who stand, so at half of them on average; at a lone hero each time.
    private mutating func comeOverSome(
        _ hazard: RegionCatalogue.Hazard,
        dangerPercent: Int,
        _ events: inout [Event]
    ) {
        var untouched = standing
        let victims = min(generator.number(in: 1...max(seatsInPlay.count - 1, 1)), untouched.count)
        for _ in 0..<victims {
            let victim = generator.choice(of: untouched)
            untouched.remove(victim)
            let blow = generator.number(in: hazard.damage) * dangerPercent
            hurt(victim, byHundredths: blow, cause: .hazard, &events)
        }
    }

    private mutating func rest(at rest: RegionCatalogue.Rest, _ events: inout [Event]) {
        events.append(.restTaken(rest: rest.id))
        for seat in seatsInPlay where heroes[seat].health < heroes[seat].maximumHealth {
            if heroes[seat].isDown, !generator.happens(onceIn: Self.restsToComeRound) { continue }
            heal(seat, percent: generator.number(in: rest.healingPercent), source: .rest, by: nil, &events)
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
