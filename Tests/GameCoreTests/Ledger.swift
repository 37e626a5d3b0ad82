@testable import GameCore

/// What a reader knows of an adventure who has its opening and reads nothing but its events.
///
/// A page, a story or a test may follow an adventure by its log; so the log has to tell everything.
struct Ledger {
    private var health: [Int]
    private var levels: [Int]
    private var bossHealth: Int?
    private var openTurn: Turn?
    private var lastTurn = 0
    private var outcome: Outcome?
    private var place: PlaceID?
    private var found: [String] = []

    init(_ opening: Adventure) {
        health = opening.heroes.map(\.health)
        levels = opening.heroes.map(\.level)
        bossHealth = opening.boss?.health
        place = opening.place
    }

    mutating func forgetFlaws() { found = [] }

    mutating func note(_ events: [Event], in adventure: Adventure) {
        for event in events {
            if outcome != nil { found.append("\(event.kind) after the end") }
            note(event, in: adventure)
        }
    }

    private mutating func note(_ event: Event, in adventure: Adventure) {
        switch event {
        case .adventureStarted(let kind):
            if kind != adventure.kind { found.append("started as another kind") }
        case .travelled(let place):
            if place == self.place { found.append("travelled to where the party was") }
            self.place = place
        case .lootFound(let hero, let item, let rarity):
            if isDown(hero) { found.append("loot of a hero who is down") }
            if let region = adventure.region.flatMap({ RegionCatalogue[$0] }), !region.loot[rarity].contains(item) {
                found.append("\(item) is no \(rarity) loot of \(region.id)")
            }
        case .heroHurt(let hero, let amount, _):
            if isDown(hero) || amount < 1 { found.append("hurt by \(amount) while down or not at all") }
            health[hero.rawValue] -= amount
        case .heroHealed(let hero, let amount, _):
            if amount < 1 { found.append("healed by \(amount)") }
            health[hero.rawValue] += amount
        case .heroDown(let hero):
            if !isDown(hero) { found.append("down with \(health[hero.rawValue]) health") }
        case .heroRevived(let hero, let helper):
            if !isDown(hero) { found.append("revived without being down") }
            if let helper, isDown(helper) { found.append("revived by a hero who is down") }
        case .heroLevelledUp(let hero, let level):
            if level != levels[hero.rawValue] + 1 { found.append("a level was left out") }
            levels[hero.rawValue] = level
        case .turnStarted(let number, let hero):
            if openTurn != nil { found.append("a turn began while another was open") }
            if number != lastTurn + 1 { found.append("turn \(number) after \(lastTurn)") }
            if let hero, isDown(hero) { found.append("a turn of a hero who is down") }
            openTurn = Turn(number: number, hero: hero)
            lastTurn = number
        case .actionTaken(let hero, _, let damage):
            if openTurn?.hero != hero || isDown(hero) { found.append("\(hero) acted out of turn or while down") }
            bossHealth = bossHealth.map { $0 - damage }
            openTurn = nil
        case .bossActed:
            if openTurn == nil || openTurn?.hero != nil { found.append("the boss acted out of turn") }
            openTurn = nil
        case .bossDefeated:
            if bossHealth != 0 { found.append("a boss with \(bossHealth ?? -1) health was defeated") }
        case .partyWiped:
            let standing = adventure.heroes.indices.filter {
                health[$0] > 0 && (adventure.kind == .bossFight || !adventure.heroes[$0].hasLeft)
            }
            if !standing.isEmpty { found.append("wiped while \(standing) stood") }
        case .memberJoined(let hero):
            if hero.rawValue == health.count {
                health.append(adventure.heroes[hero].maximumHealth)
                levels.append(adventure.heroes[hero].level)
            } else if hero.rawValue > health.count {
                found.append("a seat was left out")
            }
        case .memberLeft, .bossAppeared:
            break
        case .adventureEnded(let outcome):
            self.outcome = outcome
            openTurn = nil
        }
    }

    /// What the events have said wrongly, and where the adventure is not what they say.
    func flaws(of adventure: Adventure) -> [String] {
        var flaws = found
        if adventure.heroes.map(\.health) != health {
            flaws.append("health \(adventure.heroes.map(\.health)): \(health)")
        }
        if adventure.heroes.map(\.level) != levels { flaws.append("the levels are not those of the events") }
        if adventure.boss?.health != bossHealth { flaws.append("the boss's health is not that of the events") }
        if adventure.place != place { flaws.append("the place is not that of the events") }
        if adventure.turn != openTurn { flaws.append("the open turn is not that of the events") }
        if (adventure.turn != nil) != (adventure.kind == .bossFight && adventure.status == .running) {
            flaws.append("a running fight has exactly one open turn, and nothing else has one")
        }
        if adventure.outcome != outcome { flaws.append("the outcome is not that of the events") }
        if !adventure.heroes.allSatisfy({ (0...$0.maximumHealth).contains($0.health) && $0.potions >= 0 }) {
            flaws.append("health or potions are out of bounds")
        }
        if adventure.heroes.contains(where: { $0.isDown && $0.isGuarding }) { flaws.append("on guard while down") }
        if let boss = adventure.boss, !(0...boss.maximumHealth).contains(boss.health) {
            flaws.append("the boss's health is out of bounds")
        }
        if let progress = adventure.progress, !(0...progress.steps).contains(progress.step) {
            flaws.append("the journey went beyond its goal")
        }
        return flaws
    }

    private func isDown(_ hero: Seat) -> Bool { health[hero.rawValue] == 0 }
}
