@testable import GameCore

extension Adventure {
    /// What is as it must never be; empty when all is well.
    var brokenInvariants: [String] {
        var broken: [String] = []
        func hold(_ holds: Bool, _ flaw: @autoclosure () -> String) {
            if !holds { broken.append(flaw()) }
        }
        for (seat, hero) in heroes.enumerated() {
            hold((0...hero.maximumHealth).contains(hero.health), "seat \(seat) has \(hero.health) health")
            hold(hero.potions >= 0, "seat \(seat) has \(hero.potions) potions")
            hold((0...hero.strengths.cooldown).contains(hero.cooldown), "seat \(seat) cools down for \(hero.cooldown)")
            hold(!hero.isDown || !hero.isGuarding && !hero.isChallenging, "seat \(seat) is on guard while down")
            hold(!hero.isChallenging || kind == .bossFight, "seat \(seat) challenges without a boss")
            hold(hero.level == Hero.level(forExperience: hero.experience), "seat \(seat) has not its level")
        }
        hold(heroes.filter(\.isChallenging).count <= 1, "several challenge at once")
        hold((1...Self.mostHeroes).contains(heroes.count), "\(heroes.count) heroes")
        hold(status != .running || !standing.isEmpty, "nobody stands, and it is not over")
        hold((turn != nil) == (kind == .bossFight && status == .running), "exactly one open turn while a fight runs")
        if let turn {
            hold(turn.number == tick + 1 && turn.number <= Self.mostTurns, "turn \(turn.number) at tick \(tick)")
            if let hero = turn.hero { hold(standing.contains(hero), "the turn of a hero who is down") }
        }
        if let boss {
            hold((0...boss.maximumHealth).contains(boss.health), "the boss has \(boss.health) health")
            hold((boss.health == 0) == (outcome == .bossDefeated), "defeated, and not over, or the other way round")
            hold(boss.entry.phases.indices.contains(boss.phase - 1), "phase \(boss.phase)")
            let next = boss.entry.phases.dropFirst(boss.phase).first?.healthPercent ?? 0
            hold(boss.health == 0 || boss.health * 100 > boss.maximumHealth * next, "not enraged in time")
            hold((0...2).contains(boss.weakenedTurns), "weakened for \(boss.weakenedTurns)")
            hold((0...4).contains(boss.exposedBlows), "exposed for \(boss.exposedBlows)")
        }
        if let progress {
            hold(progress.step == tick, "step \(progress.step) at tick \(tick)")
            hold((40...120).contains(progress.steps), "\(progress.steps) steps")
            hold(progress.step <= progress.steps, "beyond the goal")
            hold((progress.step == progress.steps) == (outcome == .completed), "at the goal, and not over")
        }
        return broken
    }
}
