extension Adventure {
    /// The average number of rests until a hero who is down recovers.
    private static let restsPerRecovery = 3
    /// The average number of steps until a companion with a potion revives a hero who is down.
    ///
    /// It is high enough that players prefer to revive the hero themselves.
    private static let stepsPerRevival = 4
    /// The minimum damage to the foe in each step of an encounter, in percent of its health.
    ///
    /// It limits an encounter to four steps.
    private static let minEncounterDamagePercent = 25
    /// The experience of each standing hero when a foe is beaten.
    private static let encounterExperience = 10
    /// The experience of each hero at the goal.
    private static let goalExperience = 60

    private static let rarities = [
        Weighted(Rarity.common, weight: 72),
        Weighted(Rarity.rare, weight: 23),
        Weighted(Rarity.epic, weight: 5),
    ]

    /// Returns the experience of a hero who finds loot.
    private static func experience(forLootOf rarity: Rarity) -> Int {
        switch rarity {
        case .common: 6
        case .rare: 15
        case .epic: 40
        }
    }

    /// Takes one step; the last step reaches the goal.
    mutating func takeStep(_ events: inout [AdventureEvent]) {
        guard case .journey(var journey) = scene else { preconditionFailure("only a journey has steps") }
        journey.step += 1
        if journey.step == journey.steps {
            arrive(&journey, &events)
        } else if journey.encounter != nil {
            continueEncounter(on: &journey, &events)
        } else if let beat = dueBeat(of: journey) {
            journey.beatsReached += 1
            events.append(.storyTold(beat: beat))
        } else {
            playRandomHappening(on: &journey, &events)
        }
        scene = .journey(journey)
        guard status == .running else { return }
        reviveWithPotion(&events)
        finishIfWiped(&events)
    }

    /// Performs a command, without taking a step.
    mutating func performOnJourney(_ command: Command, by seat: Seat, _ events: inout [AdventureEvent])
        throws(AdventureRefusal)
    {
        switch command {
        case .potion(let target):
            if let refusal = refusal(ofPotionBy: seat, to: target ?? seat) { throw refusal }
            givePotion(by: seat, to: target ?? seat, &events)
        case .attack, .guardUp, .special, .revive, .flee, .pass, .policy: throw .noBoss
        }
    }

    private mutating func arrive(_ journey: inout Journey, _ events: inout [AdventureEvent]) {
        let locations = journey.content.locations
        journey.location = locations[locations.count - 1].id
        journey.encounter = nil
        events.append(.travelled(location: journey.location))
        for seat in seatsInPlay {
            gain(Self.goalExperience, by: seat, &events)
        }
        finish(.completed, &events)
    }

    /// Returns the story beat that is due at this step, if any.
    private func dueBeat(of journey: Journey) -> BeatID? {
        let beats = journey.content.beats
        guard journey.beatsReached < beats.count else { return nil }
        let beat = beats[journey.beatsReached]
        return journey.step * 100 >= journey.steps * beat.progressPercent ? beat.id : nil
    }

    private mutating func playRandomHappening(on journey: inout Journey, _ events: inout [AdventureEvent]) {
        let region = journey.content
        switch generator.choice(of: region.happenings) {
        case .loot:
            findLoot(in: region, &events)
        case .hazard:
            let hazard = generator.choice(of: region.hazards)
            events.append(.hazardStruck(hazard: hazard.id))
            hurtSomeHeroes(by: hazard, dangerPercent: journey.currentDangerPercent, &events)
        case .encounter where journey.act != .end:
            meet(generator.choice(of: region.foes), on: &journey, &events)
        case .rest where seatsInPlay.contains(where: { heroes[$0].health < heroes[$0].maximumHealth }):
            rest(at: generator.choice(of: region.rests), &events)
        case .travel, .encounter, .rest:
            // Near the goal there are no encounters, and unhurt heroes do not rest: the party travels instead.
            travel(on: &journey, &events)
        }
    }

    /// Moves the party to another location except the goal.
    private mutating func travel(on journey: inout Journey, _ events: inout [AdventureEvent]) {
        let locations = journey.content.locations.dropLast()
        let current = locations.firstIndex { $0.id == journey.location } ?? 0
        let next = generator.number(below: locations.count - 1)
        journey.location = locations[next < current ? next : next + 1].id
        events.append(.travelled(location: journey.location))
    }

    private mutating func findLoot(in region: RegionCatalogue.Entry, _ events: inout [AdventureEvent]) {
        let finder = generator.choice(of: standing)
        let rarity = generator.choice(of: Self.rarities)
        let item = generator.choice(of: region.loot[rarity])
        if item == .potion {
            heroes[finder].potions = min(heroes[finder].potions + 1, Hero.maxCount)
        }
        events.append(.lootFound(hero: finder, item: item, rarity: rarity))
        gain(Self.experience(forLootOf: rarity), by: finder, &events)
    }

    /// Begins an encounter; the foe strikes first.
    private mutating func meet(_ foe: RegionCatalogue.Foe, on journey: inout Journey, _ events: inout [AdventureEvent])
    {
        let health = max(combinedAttack * foe.healthPercent / 100, 1)
        journey.encounter = Journey.Encounter(foe: foe.id, health: health, maximumHealth: health)
        events.append(.encounterMet(foe: foe.id))
        strikeParty(damage: foe.damage, dangerPercent: journey.currentDangerPercent, &events)
    }

    /// Plays one step of an encounter: the party strikes, and the foe strikes back unless it is beaten.
    private mutating func continueEncounter(on journey: inout Journey, _ events: inout [AdventureEvent]) {
        guard var encounter = journey.encounter else { preconditionFailure("the journey has no encounter") }
        let blow = generator.spread(combinedAttack)
        let minDamage = (encounter.maximumHealth * Self.minEncounterDamagePercent + 99) / 100
        let damage = min(max(blow, minDamage), encounter.health)
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
                preconditionFailure("region '\(journey.region)' has no foe '\(encounter.foe)'")
            }
            strikeParty(damage: foe.damage, dangerPercent: journey.currentDangerPercent, &events)
        }
    }

    /// The sum of the attacks of all standing heroes.
    private var combinedAttack: Int {
        standing.reduce(0) { $0 + heroes[$1].strengths.attackHundredths } / 100
    }

    /// Deals the blows of a foe, half as many as heroes take part (rounded randomly), each at a random standing hero.
    private mutating func strikeParty(damage: ClosedRange<Int>, dangerPercent: Int, _ events: inout [AdventureEvent]) {
        let blows = (seatsInPlay.count + generator.number(below: 2)) / 2
        for _ in 0..<blows where !standing.isEmpty {
            let blow = generator.number(in: damage) * dangerPercent
            hurt(generator.choice(of: standing), byHundredths: blow, cause: .encounter, &events)
        }
    }

    /// Deals the damage of a hazard to different standing heroes: at least one, and at most all but one of those who
    /// take part.
    ///
    /// A lone hero is always hit.
    private mutating func hurtSomeHeroes(
        by hazard: RegionCatalogue.Hazard,
        dangerPercent: Int,
        _ events: inout [AdventureEvent]
    ) {
        var candidates = standing
        let victims = min(generator.number(in: 1...max(seatsInPlay.count - 1, 1)), candidates.count)
        for _ in 0..<victims {
            let victim = generator.choice(of: candidates)
            candidates.remove(victim)
            let blow = generator.number(in: hazard.damage) * dangerPercent
            hurt(victim, byHundredths: blow, cause: .hazard, &events)
        }
    }

    private mutating func rest(at rest: RegionCatalogue.Rest, _ events: inout [AdventureEvent]) {
        events.append(.restTaken(rest: rest.id))
        for seat in seatsInPlay where heroes[seat].health < heroes[seat].maximumHealth {
            if heroes[seat].isDown, !generator.oneIn(Self.restsPerRecovery) { continue }
            heal(seat, percent: generator.number(in: rest.healingPercent), source: .rest, by: nil, &events)
        }
    }

    /// Lets a standing hero with a potion occasionally revive a hero who is down; the lowest seats come first.
    private mutating func reviveWithPotion(_ events: inout [AdventureEvent]) {
        guard
            let downed = seatsInPlay.first(where: { heroes[$0].isDown }),
            let helper = standing.first(where: { heroes[$0].potions > 0 }),
            generator.oneIn(Self.stepsPerRevival)
        else { return }
        givePotion(by: helper, to: downed, &events)
    }
}
