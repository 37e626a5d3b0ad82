import GameCore
import LiveActivityContent
import RangersClient

/// Compares a phone's state with the server's.
struct StateComparison {
    /// The tolerance for health levels, which are rounded to thousandths.
    private static let rounding = 0.000_501

    /// The differences.
    private(set) var faults: [String] = []

    init(shown: AdventureAttributes.ContentState, adventure: AdventureResponse, owner: PlayerID) {
        compare("sequence", shown.sequence, adventure.sequence)
        compare("tick", shown.tick, adventure.tick)
        compare("outcome", shown.outcome, adventure.outcome?.rawValue)
        compare("turn", shown.turn?.number, adventure.turn?.number)
        compare("turn's hero", shown.turn?.heroIndex, adventure.turn?.seat?.rawValue)
        compare("number of heroes", shown.heroes.count, adventure.heroes.count)
        for (hero, expected) in zip(shown.heroes, adventure.heroes) {
            compare("avatar", hero.avatar, expected.hero.avatar)
            compare("name", hero.name, expected.hero.name)
            compare("\(hero.name) down", hero.isDown, expected.isDown)
            compareHealth("\(hero.name)'s health", hero.healthLevel, expected.health, of: expected.maximumHealth)
        }
        compare("boss", shown.boss?.name, adventure.boss?.id.name)
        if let boss = shown.boss, let expected = adventure.boss {
            compare("boss's avatar", boss.avatar, expected.id.avatar)
            compare("boss's phase", boss.phase, phase(of: expected))
            compareHealth("boss's health", boss.healthLevel, expected.health, of: expected.maximumHealth)
        }
        if let hero = adventure.hero(of: owner) {
            compareHealth("own health", shown.currentHealthLevel, hero.health, of: hero.maximumHealth)
        }
    }

    private func phase(of boss: AdventureResponse.Boss) -> String? {
        if boss.announced != nil {
            AdventureAttributes.BossState.windingUp
        } else if boss.phase > 1 {
            AdventureAttributes.BossState.enraged
        } else {
            nil
        }
    }

    private mutating func compare<Value: Equatable>(_ what: String, _ shown: Value?, _ expected: Value?) {
        guard shown != expected else { return }
        func text(_ value: Value?) -> String { value.map { "\($0)" } ?? "nothing" }
        faults.append("\(what): the phone shows \(text(shown)), the server has \(text(expected))")
    }

    private mutating func compareHealth(_ what: String, _ shown: Double, _ health: Int, of maximum: Int) {
        let level = Double(health) / Double(maximum)
        guard abs(shown - level) > Self.rounding || (shown == 0) != (health == 0) else { return }
        faults.append("\(what): the phone shows \(shown), the server has \(health) of \(maximum)")
    }
}
