import Testing

@testable import GameCore

/// Small fights, played in every way that there is.
struct ExhaustiveFightTests {
    /// A fight of one or two heroes against a boss who has little health left, as it would be stored.
    private static func text(random: UInt64, boss: String, heroes: [String]) -> String {
        let digits = String(random, radix: 16)
        let lines = heroes.enumerated().map { seat, hero in
            "hero \(hero.replacing("@", with: "player 00000000-0000-7000-8000-00000000000\(seat)"))"
        }
        return """
            2 bossFight running
            tick 8 sequence 20 rules 2 random \(String(repeating: "0", count: 16 - digits.count) + digits)
            boss \(boss)
            turn 9 hero 0
            \(lines.joined(separator: "\n"))
            """
    }

    /// What a walk through all states has seen.
    private struct Walk {
        var visited: Set<Adventure> = []
        var outcomes: Set<Outcome> = []
        var refusals: Set<Refusal> = []
        var flaws: [String] = []
    }

    /// Visits whatever can come of a state by the tick and by each command of each player.
    ///
    /// A state counts its turns, so one that was visited before was visited with the same depth left.
    private func visit(_ adventure: Adventure, depth: Int, _ walk: inout Walk) {
        guard walk.visited.insert(adventure).inserted else { return }
        walk.flaws += adventure.brokenInvariants
        if let outcome = adventure.outcome { walk.outcomes.insert(outcome) }
        guard depth > 0, adventure.status == .running else { return }
        for input in [Input.tick] + adventure.everyCommand {
            var next = adventure
            var events: [Event] = []
            do {
                try next.advance(input, appendingTo: &events)
                if adventure.expectedRefusal(of: input) != nil { walk.flaws.append("\(input) was not refused") }
                if next.sequence != adventure.sequence + events.count { walk.flaws.append("the sequence is not dense") }
                if next.tick != adventure.tick + 1 { walk.flaws.append("\(input) is not one turn") }
                visit(next, depth: depth - 1, &walk)
            } catch {
                walk.refusals.insert(error)
                if error != adventure.expectedRefusal(of: input) { walk.flaws.append("\(input) is \(error)") }
                if next != adventure || events != [] { walk.flaws.append("\(input) left a trace") }
            }
        }
    }

    @Test(arguments: [
        ("glitch health 34/125 attack 40 43 phase 2", ["glimmer @ level 1 experience 0 health 40/104 potions 2"], 11),
        ("madam-gloom health 34/120 attack 45 45 phase 2", ["ember @ level 1 experience 0 health 75/97 potions 2"], 13),
        (
            "stonejaw health 30/130 attack 60 60 phase 2 announced crush 0",
            [
                "glimmer @ level 1 experience 0 health 50/104 potions 1",
                "boulder @ level 1 experience 0 health 0/132 potions 1",
            ], 8
        ),
        (
            "storm-roc health 16/120 attack 70 70 phase 3",
            [
                "leap @ level 1 experience 0 health 30/97 potions 0",
                "bamboo @ level 1 experience 0 health 35/128 potions 1",
            ], 10
        ),
    ])
    func `whatever the players do, the rules hold`(boss: String, heroes: [String], depth: Int) throws {
        var walk = Walk()
        for random in [1, 2024, 0xfeed_beef] as [UInt64] {
            let fight = try Adventure(encoded: Self.text(random: random, boss: boss, heroes: heroes))
            visit(fight, depth: depth, &walk)
        }
        #expect(walk.flaws == [])
        #expect(walk.visited.count > 3_000)
        #expect(walk.outcomes == [.bossDefeated, .partyWiped])
        #expect(walk.refusals.isSuperset(of: [.notYourTurn, .onCooldown, .noPotionsLeft, .targetNotDown]))
    }
}

extension Adventure {
    /// Every command of every player that takes a turn.
    fileprivate var everyCommand: [Input] {
        let targets = heroes.indices.map { Seat(rawValue: $0) }
        let commands =
            [.attack, .guardUp, .special, .potion(target: nil), .pass, .flee]
            + targets.map { Command.potion(target: $0) } + targets.map { .revive(target: $0) }
        return heroes.flatMap { hero in commands.map { .command($0, by: hero.playerID) } }
    }

    /// What the rules say of a command, told once more and by nothing but the public state.
    fileprivate func expectedRefusal(of input: Input) -> Refusal? {
        guard case .command(let command, let player) = input else { return nil }
        guard let index = heroes.firstIndex(where: { $0.playerID == player }) else { return .notAMember }
        let hero = heroes[index]
        if hero.isDown { return .heroDown }
        if turn?.hero?.rawValue != index { return .notYourTurn }
        switch command {
        case .potion(let target):
            let drinker = target.map { heroes[$0.rawValue] } ?? hero
            if hero.potions == 0 { return .noPotionsLeft }
            return drinker.healthLevel == 1 ? .targetUnhurt : nil
        case .revive(let target): return heroes[target.rawValue].isDown ? nil : .targetNotDown
        case .special:
            if hero.cooldown > 0 { return .onCooldown }
            return hero.id == "glimmer" && heroes.allSatisfy { $0.healthLevel == 1 } ? .targetUnhurt : nil
        case .attack, .guardUp, .flee, .pass, .policy: return nil
        }
    }
}
