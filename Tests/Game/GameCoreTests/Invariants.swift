@testable import GameCore

extension Adventure {
    /// The invariants that the adventure violates.
    var brokenInvariants: [String] {
        var broken: [String] = []
        func check(_ condition: Bool, _ violation: @autoclosure () -> String) {
            if !condition { broken.append(violation()) }
        }
        for (seat, hero) in heroes.enumerated() {
            check((0...hero.maximumHealth).contains(hero.health), "seat \(seat) has \(hero.health) health")
            check(hero.potions >= 0, "seat \(seat) has \(hero.potions) potions")
            check((0...hero.strengths.cooldown).contains(hero.cooldown), "seat \(seat) has cooldown \(hero.cooldown)")
            check(
                !hero.isDown || !hero.isGuarding && !hero.isChallenging,
                "seat \(seat) guards or challenges while down"
            )
            check(!hero.isChallenging || kind != .journey, "seat \(seat) challenges without a boss")
            check(hero.level == Hero.level(forExperience: hero.experience), "seat \(seat) has the wrong level")
        }
        check(heroes.filter(\.isChallenging).count <= 1, "several heroes challenge at once")
        check((1...Self.maxHeroes).contains(heroes.count), "\(heroes.count) heroes")
        check(status != .running || !standing.isEmpty, "no hero stands, but the adventure has not ended")
        check(
            (turn != nil) == (kind != .journey && status == .running),
            "a fight has an open turn exactly while it is running"
        )
        if let turn {
            let isInTime = turn.number <= Self.maxTurns || kind == .raid
            check(turn.number == tick + 1 && isInTime, "turn \(turn.number) at tick \(tick)")
            if let hero = turn.hero { check(standing.contains(hero), "the open turn belongs to a hero who is down") }
        }
        if let boss {
            check((0...boss.maximumHealth).contains(boss.health), "the boss has \(boss.health) health")
            check(
                (boss.health == 0) == (outcome == .bossDefeated),
                "the fight is won exactly when the boss has no health left"
            )
            check(boss.entry.phases.indices.contains(boss.phase - 1), "phase \(boss.phase)")
            let next = boss.entry.phases.dropFirst(boss.phase).first?.healthPercent ?? 0
            check(
                boss.health == 0 || kind == .raid || boss.health * 100 > boss.maximumHealth * next,
                "the boss is below the threshold of its next phase"
            )
            check((0...2).contains(boss.weakenedTurns), "the boss is weakened for \(boss.weakenedTurns) turns")
            check((0...4).contains(boss.exposedBlows), "the boss is exposed for \(boss.exposedBlows) blows")
        }
        if let progress {
            check(progress.step == tick, "step \(progress.step) at tick \(tick)")
            check((40...120).contains(progress.steps), "\(progress.steps) steps")
            check(progress.step <= progress.steps, "beyond the goal")
            check(
                (progress.step == progress.steps) == (outcome == .completed),
                "a journey is completed exactly at its goal"
            )
        }
        return broken
    }
}
