@testable import GameCore

/// The state of an adventure as reconstructed from its opening and its events alone.
///
/// A client may follow an adventure by its log, so the log must contain every change.
struct EventProjection {
    private let kind: AdventureKind
    private let region: RegionCatalogue.Entry?
    private var heroes: [Hero]
    private var boss: Boss?
    private var openTurn: Turn?
    private var lastTurn = 0
    private var outcome: AdventureOutcome?
    private var location: LocationID?
    private var foe: FoeID?
    private var strikes = 0
    private var beatsReached = 0
    /// Whether a hero has just joined a fight, so that the boss must gain health next.
    private var expectsBossToGrow = false
    private var eventErrors: [String] = []

    private struct Hero: Equatable {
        var health: Int
        var level: Int
        var policy: TurnPolicy
        var hasLeft: Bool
        let maximumHealth: Int
        var isDown: Bool { health == 0 }
        var isInDanger: Bool { health > 0 && health * 5 <= maximumHealth }

        init(_ hero: HeroInPlay) {
            health = hero.health
            level = hero.level
            policy = hero.policy
            hasLeft = hero.hasLeft
            maximumHealth = hero.maximumHealth
        }
    }

    private struct Boss: Equatable {
        let id: BossID
        var health: Int
        var maximumHealth: Int
        var phase: Int
        var announcement: BossInPlay.Announcement?

        init(_ boss: BossInPlay) {
            id = boss.id
            health = boss.health
            maximumHealth = boss.maximumHealth
            phase = boss.phase
            announcement = boss.announcement
        }
    }

    init(_ opening: Adventure) {
        kind = opening.kind
        region = opening.region.flatMap { RegionCatalogue[$0] }
        heroes = opening.heroes.map(Hero.init)
        boss = opening.boss.map(Boss.init)
        location = opening.location
    }

    mutating func clearErrors() { eventErrors = [] }

    /// Applies events.
    /// - Parameters:
    ///   - events: the next events of the log.
    ///   - newcomer: the hero who joined with these events; the log does not contain a newcomer's strengths.
    mutating func apply(_ events: [AdventureEvent], newcomer: HeroInPlay?) {
        for event in events {
            expect(!expectsBossToGrow || event.kind == "bossHealed", "a newcomer did not scale the boss")
            if outcome != nil { eventErrors.append("\(event.kind) after the end") }
            apply(event, newcomer: newcomer)
        }
        expect(!expectsBossToGrow, "a newcomer did not scale the boss")
    }

    private mutating func apply(_ event: AdventureEvent, newcomer: HeroInPlay?) {
        switch event {
        case .adventureStarted(let kind):
            expect(kind == self.kind, "started as another kind")
        case .storyTold(let beat):
            expect(region?.beats.dropFirst(beatsReached).first?.id == beat, "\(beat) is not the next part of the story")
            beatsReached += 1
        case .travelled(let location):
            expect(location != self.location, "travelled to where the party was")
            self.location = location
            foe = nil
        case .lootFound(let hero, let item, let rarity):
            expect(isInPlay(hero) && !heroes[hero.rawValue].isDown, "loot of a hero who is down or has left")
            expect(region?.loot[rarity].contains(item) == true, "\(item) is no \(rarity) loot here")
        case .hazardStruck(let hazard):
            expect(region?.hazards.contains { $0.id == hazard } == true, "\(hazard) does not belong here")
        case .restTaken(let rest):
            expect(region?.rests.contains { $0.id == rest } == true, "\(rest) does not belong here")
        case .encounterMet(let foe):
            expect(region?.foes.contains { $0.id == foe } == true, "\(foe) does not belong here")
            expect(self.foe == nil, "two foes at once")
            self.foe = foe
            strikes = 0
        case .foeStruck(let foe, let damage):
            expect(foe == self.foe && damage >= 1, "struck \(foe) for \(damage)")
            strikes += 1
            expect(strikes <= 4, "a foe who takes more than four strikes")
        case .encounterWon(let foe):
            expect(foe == self.foe && strikes >= 1, "won against \(foe) without a strike")
            self.foe = nil
        case .heroHurt(let hero, let amount, _, let inDanger):
            expect(!heroes[hero.rawValue].isDown && amount >= 1, "hurt by \(amount) while down or not at all")
            expect(isInPlay(hero), "hurt after leaving")
            let wasInDanger = heroes[hero.rawValue].isInDanger
            heroes[hero.rawValue].health -= amount
            let isEndangered = heroes[hero.rawValue].isInDanger && !wasInDanger
            expect(inDanger == isEndangered, "in danger: \(inDanger) instead of \(isEndangered)")
        case .heroHealed(let hero, let amount, _):
            expect(amount >= 1 && isInPlay(hero), "healed by \(amount), or after leaving")
            heroes[hero.rawValue].health += amount
        case .heroDown(let hero):
            expect(heroes[hero.rawValue].isDown, "down with health left")
        case .heroRevived(let hero, let helper):
            expect(heroes[hero.rawValue].isDown, "revived without being down")
            if let helper { expect(!heroes[helper.rawValue].isDown, "revived by a hero who is down") }
        case .heroLevelledUp(let hero, let level):
            expect(level == heroes[hero.rawValue].level + 1, "a level was skipped")
            heroes[hero.rawValue].level = level
        case .bossAppeared(let boss):
            expect(boss == self.boss?.id, "another boss appeared")
        case .turnStarted, .actionTaken, .bossActed, .bossHealed, .bossHindered, .bossEnraged, .raidProgressed,
            .bossDefeated:
            applyFightEvent(event)
        case .partyWiped:
            let standing = heroes.filter { !$0.isDown && (kind != .journey || !$0.hasLeft) }
            expect(standing.isEmpty, "wiped while \(standing.count) stood")
        case .memberJoined(let hero):
            if hero.rawValue < heroes.count {
                expect(heroes[hero.rawValue].hasLeft, "a seat was reassigned")
                heroes[hero.rawValue].hasLeft = false
            } else if let newcomer, hero.rawValue == heroes.count {
                heroes.append(Hero(newcomer))
                expectsBossToGrow = kind == .bossFight
            } else {
                eventErrors.append("a seat was skipped")
            }
        case .memberLeft(let hero):
            expect(!heroes[hero.rawValue].hasLeft, "left twice")
            heroes[hero.rawValue].hasLeft = true
        case .policyChosen(let hero, let policy):
            heroes[hero.rawValue].policy = policy
        case .adventureEnded(let outcome):
            self.outcome = outcome
            openTurn = nil
        }
    }

    private mutating func applyFightEvent(_ event: AdventureEvent) {
        switch event {
        case .turnStarted(let number, let hero):
            expect(openTurn == nil, "a turn began while another was open")
            expect(number == lastTurn + 1, "turn \(number) out of order")
            if let hero { expect(!heroes[hero.rawValue].isDown, "a turn of a hero who is down") }
            openTurn = Turn(number: number, hero: hero)
            lastTurn = number
        case .actionTaken(let hero, let action, let damage):
            expect(openTurn?.hero == hero && !heroes[hero.rawValue].isDown, "\(hero) acted out of turn or while down")
            let isBlow = action == .attack || action == .critical
            expect(isBlow ? damage >= 1 : damage == 0 || action == .special, "\(action) took \(damage)")
            if kind == .bossFight { boss?.health -= damage }
            openTurn = nil
        case .bossActed(let move, let target):
            expect(openTurn != nil && openTurn?.hero == nil, "the boss acted out of turn")
            expect((target != nil) == (move == .takeAim), "a target of \(move)")
            if let target { expect(!heroes[target.rawValue].isDown, "took aim at a hero who is down") }
            let announcedMove: BossMove? =
                switch boss?.announcement {
                case nil: nil
                case .heavyAttack: .heavyAttack
                case .crush: .crush
                }
            expect((move == .heavyAttack || move == .crush) == (move == announcedMove), "\(move) was not announced")
            switch (move, target) {
            case (.windUp, _): boss?.announcement = .heavyAttack
            case (.takeAim, let target?): boss?.announcement = .crush(target)
            case _: boss?.announcement = nil
            }
            openTurn = nil
        case .bossHealed(let boss, let amount):
            expect(boss == self.boss?.id && amount >= 1, "\(boss) gained \(amount)")
            self.boss?.health += amount
            // The health that the boss gains from a newcomer also raises the maximum; other healing does not.
            if expectsBossToGrow { self.boss?.maximumHealth += amount }
            expectsBossToGrow = false
        case .bossHindered(let boss, let hindrance):
            expect(boss == self.boss?.id && openTurn == nil, "another boss was hindered, or before the action")
            if hindrance == .interrupted {
                expect(self.boss?.announcement != nil, "nothing was interrupted")
                self.boss?.announcement = nil
            }
        case .bossEnraged(let boss, let phase):
            expect(boss == self.boss?.id && phase == (self.boss?.phase ?? 0) + 1, "a phase was left out")
            self.boss?.phase = phase
        case .raidProgressed(let health, let maximum):
            expect(kind == .raid && maximum == boss?.maximumHealth, "progress of another raid")
            boss?.health = health
        case .bossDefeated(let boss):
            expect(boss == self.boss?.id && self.boss?.health == 0, "a boss who stands was defeated")
        case .adventureStarted, .storyTold, .travelled, .lootFound, .hazardStruck, .restTaken, .encounterMet,
            .foeStruck, .encounterWon, .heroHurt, .heroHealed, .heroDown, .heroRevived, .heroLevelledUp, .bossAppeared,
            .partyWiped, .memberJoined, .memberLeft, .policyChosen, .adventureEnded:
            preconditionFailure("\(event.kind) is not an event of a fight")
        }
    }

    /// Returns the inconsistent events, and the differences between this projection and the adventure.
    func errors(comparedWith adventure: Adventure) -> [String] {
        var errors = eventErrors
        if adventure.heroes.map(Hero.init) != heroes { errors.append("the heroes differ from the events") }
        if adventure.boss.map(Boss.init) != boss { errors.append("the boss differs from the events") }
        if adventure.location != location { errors.append("the location differs from the events") }
        if adventure.foe != foe { errors.append("the foe differs from the events") }
        if adventure.turn != openTurn { errors.append("the open turn differs from the events") }
        if adventure.outcome != outcome { errors.append("the outcome differs from the events") }
        return errors
    }

    /// Returns whether a hero takes part, which is always true in a fight, and on a journey until its player leaves.
    private func isInPlay(_ hero: Seat) -> Bool { kind != .journey || !heroes[hero.rawValue].hasLeft }

    private mutating func expect(_ condition: Bool, _ error: @autoclosure () -> String) {
        if !condition { eventErrors.append(error()) }
    }
}
