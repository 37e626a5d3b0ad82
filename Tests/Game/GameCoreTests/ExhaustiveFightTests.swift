import TestSupport
import Testing

@testable import GameCore

/// Small fights, played exhaustively with all sequences of inputs.
@Suite(.computing) struct ExhaustiveFightTests {
    /// Returns the stored form of a fight of one or two heroes against a boss with little health left.
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

    /// The record of a search through all states.
    private struct Search {
        var visited: Set<Adventure> = []
        var outcomes: Set<AdventureOutcome> = []
        var refusals: Set<AdventureRefusal> = []
        var violations: [String] = []
    }

    /// Visits all states that follow from a state by the tick and by each command of each player.
    ///
    /// The state includes the turn number, so a state that is visited again has the same remaining depth and can be
    /// skipped.
    private func visit(_ adventure: Adventure, depth: Int, _ search: inout Search) {
        guard search.visited.insert(adventure).inserted else { return }
        search.violations += adventure.brokenInvariants
        if let outcome = adventure.outcome { search.outcomes.insert(outcome) }
        guard depth > 0, adventure.status == .running else { return }
        for input in [AdventureInput.tick] + adventure.everyCommand {
            var next = adventure
            var events: [AdventureEvent] = []
            do {
                try next.advance(input, appendingTo: &events)
                if adventure.expectedRefusal(of: input) != nil { search.violations.append("\(input) was not refused") }
                if next.sequence != adventure.sequence + events.count {
                    search.violations.append("the sequence has a gap")
                }
                if next.tick != adventure.tick + 1 { search.violations.append("\(input) did not resolve one turn") }
                visit(next, depth: depth - 1, &search)
            } catch {
                search.refusals.insert(error)
                if error != adventure.expectedRefusal(of: input) {
                    search.violations.append("\(input) was refused with \(error)")
                }
                if next != adventure || events != [] {
                    search.violations.append("\(input) was refused but changed the adventure")
                }
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
    func `no sequence of inputs breaks a rule`(boss: String, heroes: [String], depth: Int) throws {
        var search = Search()
        for random in [1, 2024, 0xfeed_beef] as [UInt64] {
            let fight = try Adventure(encoded: Self.text(random: random, boss: boss, heroes: heroes))
            visit(fight, depth: depth, &search)
        }
        #expect(search.violations == [])
        #expect(search.visited.count > 3_000)
        #expect(search.outcomes == [.bossDefeated, .partyWiped])
        #expect(search.refusals.isSuperset(of: [.notYourTurn, .onCooldown, .noPotionsLeft, .targetNotDown]))
    }
}

extension Adventure {
    /// Every command of every player that resolves a turn.
    fileprivate var everyCommand: [AdventureInput] {
        let targets = heroes.indices.map { Seat(rawValue: $0) }
        let commands =
            [.attack, .guardUp, .special, .potion(target: nil), .pass, .flee]
            + targets.map { Command.potion(target: $0) } + targets.map { .revive(target: $0) }
        return heroes.flatMap { hero in commands.map { .command($0, by: hero.playerID) } }
    }

    /// Returns the expected refusal of a command, computed independently from the public state.
    fileprivate func expectedRefusal(of input: AdventureInput) -> AdventureRefusal? {
        guard case .command(let command, let player) = input else { return nil }
        guard let index = heroes.firstIndex(where: { $0.playerID == player }) else { return .notAMember }
        let hero = heroes[index]
        if hero.isDown { return .heroDown }
        if turn?.hero?.rawValue != index { return .notYourTurn }
        switch command {
        case .potion(let target):
            let receiver = target.map { heroes[$0.rawValue] } ?? hero
            if hero.potions == 0 { return .noPotionsLeft }
            return receiver.healthLevel == 1 ? .targetUnhurt : nil
        case .revive(let target): return heroes[target.rawValue].isDown ? nil : .targetNotDown
        case .special:
            if hero.cooldown > 0 { return .onCooldown }
            return hero.id == "glimmer" && heroes.allSatisfy { $0.healthLevel == 1 } ? .targetUnhurt : nil
        case .attack, .guardUp, .flee, .pass, .policy: return nil
        }
    }
}
