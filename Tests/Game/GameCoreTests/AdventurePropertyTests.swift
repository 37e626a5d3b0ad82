import TestSupport
import Testing

@testable import GameCore

/// Properties of every adventure, for random inputs.
@Suite(.computing) struct AdventurePropertyTests {
    @Test(arguments: AdventureKind.allCases, 1...8)
    func `random inputs break no rule`(kind: AdventureKind, size: Int) {
        for seed in GameWorld.seeds {
            var play = RandomPlay(GameWorld.opening(kind, heroes: size, seed: seed), seed: seed)
            play.playOut()
            #expect(play.violations == [], "seed \(seed)")
        }
    }

    @Test(arguments: AdventureKind.allCases, 1...8)
    func `the same opening and inputs give the same events and state`(kind: AdventureKind, size: Int) throws {
        for seed in GameWorld.seeds.prefix(10) {
            let opening = GameWorld.opening(kind, heroes: size, seed: seed)
            var play = RandomPlay(opening, seed: seed)
            play.playOut()
            let (adventure, events) = try Adventure.replay(opening, inputs: play.inputs)
            #expect(adventure == play.adventure, "seed \(seed)")
            #expect(events == play.events, "seed \(seed)")
        }
    }

    @Test func `random plays cover all events, actions, moves and refusals`() {
        var kinds: Set<String> = []
        var actions: Set<HeroAction> = []
        var moves: Set<BossMove> = []
        var refusals: Set<AdventureRefusal> = []
        var outcomes: Set<AdventureOutcome> = []
        for kind in AdventureKind.allCases {
            for size in 1...8 {
                for seed in GameWorld.seeds {
                    var play = RandomPlay(GameWorld.opening(kind, heroes: size, seed: seed), seed: seed)
                    play.playOut()
                    refusals.formUnion(play.refusals)
                    for event in play.events {
                        kinds.insert(event.kind)
                        if case .actionTaken(_, let action, _) = event { actions.insert(action) }
                        if case .bossActed(let move, _) = event { moves.insert(move) }
                        if case .adventureEnded(let outcome) = event { outcomes.insert(outcome) }
                    }
                }
            }
        }
        #expect(kinds == Set(AdventureEvent.allKinds))
        #expect(actions == Set(HeroAction.allCases))
        #expect(moves == Set(BossMove.allCases))
        #expect(refusals == Set(AdventureRefusal.allCases))
        #expect(outcomes.isSuperset(of: [.completed, .bossDefeated, .partyWiped, .endedByOperator, .abandoned]))
    }

    @Test func `a replay with the inputs of another adventure is refused`() throws {
        let opening = GameWorld.opening(.journey, heroes: 2, seed: 1)
        #expect(throws: AdventureRefusal.noBoss) {
            try Adventure.replay(opening, inputs: [.start, .command(.attack, by: GameWorld.player(0))])
        }
    }

    @Test func `events are appended to a buffer, and a refusal leaves it unchanged`() throws {
        var fight = Adventure.bossFight(against: "glitch", heroes: GameWorld.party(of: 2), seed: 1)
        var events: [AdventureEvent] = [.partyWiped]
        try fight.advance(.start, appendingTo: &events)
        #expect(events.first == .partyWiped)
        #expect(events.count == 1 + fight.sequence)
        let before = events
        #expect(throws: AdventureRefusal.notStarted) { try fight.advance(.start, appendingTo: &events) }
        #expect(events == before)
    }

    @Test(arguments: AdventureKind.allCases) func `different seeds give different adventures`(kind: AdventureKind)
        throws
    {
        let logs = try Set(
            (UInt64(1)...50).map { seed in
                let heroes = GameWorld.party(of: 3)
                var adventure =
                    switch kind {
                    case .journey: Adventure.journey(in: "coast", heroes: heroes, seed: seed)
                    case .bossFight: Adventure.bossFight(against: "glitch", heroes: heroes, seed: seed)
                    case .raid: Adventure.raid(GameWorld.raid(against: "glitch"), heroes: heroes, seed: seed)
                    }
                return try adventure.advance(.start) + adventure.playOut()
            }
        )
        #expect(logs.count == 50)
    }
}
