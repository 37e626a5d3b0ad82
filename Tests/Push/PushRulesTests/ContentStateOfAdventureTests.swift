import Encodings
import Foundation
import GameCore
import LiveActivityContent
import PushRules
import TestSupport
import Testing

@Suite(.computing) struct ContentStateOfAdventureTests {
    private typealias ContentState = AdventureAttributes.ContentState

    private func fight(after ticks: Int) throws -> Adventure {
        var adventure = Adventure.sampleFight
        _ = try adventure.advance(.start)
        for _ in 0..<ticks { _ = try adventure.advance(.tick) }
        return adventure
    }

    @Test func `a fight shows its heroes, its boss and the current turn with its end`() throws {
        let adventure = try fight(after: 1)
        let turnEnds = Timestamp(microseconds: 1_790_000_000_000_001)
        let state = ContentState(of: adventure, lastEvent: .bossActed(move: .windUp), turnEnds: turnEnds)
        #expect(state.heroes.map(\.name) == ["Spouty", "Ember"])
        #expect(state.heroes.map(\.avatar) == ["🐳", "🦊"])
        #expect(state.heroes.map(\.isDown) == adventure.heroes.map(\.isDown))
        #expect(state.boss?.name == "Glitch")
        #expect(state.turn?.number == adventure.turn?.number)
        #expect(state.turn?.heroIndex == adventure.turn?.hero?.rawValue)
        #expect(state.turn?.endsEpochSeconds == 1_790_000_001)
        #expect(state.tick == adventure.tick)
        #expect(state.sequence == adventure.sequence)
        #expect(state.eventDescription == "The boss gathers its strength. Guard!")
        #expect(!state.isOver)
    }

    @Test(arguments: BossCatalogue.all.map(\.id))
    func `the phase of a boss is the announced move, otherwise enraged, otherwise absent`(boss: BossID) throws {
        var shown: Set<String?> = []
        for seed in 0..<8 as Range<UInt64> {
            let opening = Adventure.bossFight(against: boss, heroes: Adventure.heroes(4), seed: seed)
            try Adventure.play(opening) { event, adventure in
                let boss = try #require(adventure.boss)
                let phase = ContentState(of: adventure, lastEvent: event, turnEnds: nil).boss?.phase
                let expected: String? =
                    if boss.announcement != nil { "windingUp" } else { boss.phase > 1 ? "enraged" : nil }
                #expect(phase == expected)
                shown.insert(phase)
            }
        }
        #expect(shown == ["windingUp", "enraged", nil])
    }

    @Test func `a journey shows neither boss nor turn`() throws {
        var adventure = Adventure.sampleJourney
        let event = try #require(try adventure.advance(.start).first)
        let state = ContentState(of: adventure, lastEvent: event, turnEnds: nil)
        #expect(state.boss == nil)
        #expect(state.turn == nil)
        #expect(state.eventDescription == "The party sets out.")
    }

    @Test func `an ended adventure has the outcome of the REST API`() throws {
        var adventure = try fight(after: 0)
        let event = try #require(try adventure.advance(.end).last)
        let state = ContentState(of: adventure, lastEvent: event, turnEnds: nil)
        #expect(state.outcome == "endedByOperator")
        #expect(state.turn == nil)
    }

    @Test(arguments: 0..<20)
    func `every state of the largest party fits into a payload that phones decode`(seed: UInt64) throws {
        let heroes = Adventure.heroes(8)
        let region = RegionCatalogue.all[Int(seed) % RegionCatalogue.all.count].id
        let boss = BossCatalogue.all[Int(seed) % BossCatalogue.all.count].id
        for opening in [
            Adventure.journey(in: region, heroes: heroes, seed: seed),
            Adventure.bossFight(against: boss, heroes: heroes, seed: seed),
        ] {
            try Adventure.play(opening) { event, adventure in
                let state = ContentState(
                    of: adventure,
                    lastEvent: event,
                    turnEnds: Timestamp(epochSeconds: 4_000_000_000)
                )
                let content = EncodedContentState(state)
                for seat in [0, 7] {
                    let hero = adventure.heroes[seat]
                    let receiver = Seat(rawValue: seat)
                    let rule = PushRules.rule(for: event, after: adventure, receiver: receiver)
                    let bytes = content.bytes(currentHealthLevel: hero.shownHealthLevel)
                    var expected = state
                    expected.currentHealthLevel = hero.shownHealthLevel
                    let decoded = try JSONDecoder().decode(ContentState.self, from: Data(bytes))
                    #expect(decoded == expected)
                    let payload = LiveActivityPayload(
                        timestamp: 4_000_000_000,
                        event: .update(
                            staleDate: 4_000_000_300,
                            relevanceScore: Relevance(of: adventure, for: receiver).score,
                            alert: rule.alert?.content
                        ),
                        contentState: bytes
                    )
                    let size = try payload.encoded().count
                    #expect(size <= 2_048, "at least half of the 4,096 bytes must be left for longer names")
                }
            }
        }
    }

    @Test(arguments: 0..<20)
    func `health is shown from 0 to 1, and as 0 only for heroes who are down`(seed: UInt64) throws {
        let opening = Adventure.bossFight(against: "cinderwing", heroes: Adventure.heroes(3), seed: seed)
        try Adventure.play(opening) { _, adventure in
            for hero in adventure.heroes {
                #expect((0...1).contains(hero.shownHealthLevel))
                #expect((hero.shownHealthLevel == 0) == hero.isDown)
                #expect(abs(hero.shownHealthLevel - hero.healthLevel) <= 0.001)
            }
        }
    }

    @Test(arguments: 0..<40)
    func `every tick and every turn has a headline`(seed: UInt64) throws {
        let heroes = Adventure.heroes(Int(seed) % 8 + 1)
        let region = RegionCatalogue.all[Int(seed) % RegionCatalogue.all.count].id
        let boss = BossCatalogue.all[Int(seed) % BossCatalogue.all.count].id
        for opening in [
            Adventure.journey(in: region, heroes: heroes, seed: seed),
            Adventure.bossFight(against: boss, heroes: heroes, seed: seed),
        ] {
            var adventure = opening
            var input = AdventureInput.start
            while adventure.outcome == nil {
                let events = try adventure.advance(input)
                #expect(events.contains { $0.isHeadline }, "\(events)")
                input = .tick
            }
        }
    }

    @Test(arguments: [
        (
            [AdventureEvent.hazardStruck(hazard: "hail"), .heroHurt(hero: ember, amount: 9, cause: .hazard)],
            "Hail came down on the meadow."
        ),
        (
            [.hazardStruck(hazard: "hail"), .heroHurt(hero: ember, amount: 9, cause: .hazard), .heroDown(hero: ember)],
            "Ember is down!"
        ),
        (
            [.encounterMet(foe: "ram"), .heroHurt(hero: ember, amount: 9, cause: .encounter)],
            "The party met a stubborn ram."
        ),
        (
            [.restTaken(rest: "picnic"), .heroHealed(hero: ember, amount: 9, source: .rest)],
            "The party had a picnic in the shade."
        ),
        (
            [
                .actionTaken(hero: spouty, action: .special, damage: 0),
                .heroHealed(hero: ember, amount: 9, source: .special), .turnStarted(turn: 2, hero: ember),
            ],
            "Spouty used Tidal Song."
        ),
        (
            [
                .actionTaken(hero: ember, action: .special, damage: 40), .bossEnraged(boss: "glitch", phase: 2),
                .turnStarted(turn: 2, hero: nil),
            ],
            "Glitch is enraged!"
        ),
        (
            [.actionTaken(hero: ember, action: .special, damage: 40), .turnStarted(turn: 2, hero: nil)],
            "Ember used Wildfire and struck the boss for 40!"
        ),
        (
            [
                .actionTaken(hero: spouty, action: .revive, damage: 0), .heroRevived(hero: ember, helper: spouty),
                .heroHealed(hero: ember, amount: 9, source: .revival),
            ],
            "Spouty helped Ember up."
        ),
        (
            [
                .bossActed(move: .drain), .heroHurt(hero: ember, amount: 9, cause: .bossAttack),
                .bossHealed(boss: "glitch", amount: 5),
            ],
            "The boss hit Ember for 9."
        ),
        (
            [.bossActed(move: .takeAim, target: ember), .policyChosen(hero: spouty, policy: .skip)],
            "The boss takes aim at Ember. Guard!"
        ),
    ])
    func `the headline of a moment is its most valuable event`(events: [AdventureEvent], sentence: String) throws {
        let headline = try #require(events.last { $0.isHeadline })
        #expect(LocalizableText(describing: headline, in: .sampleFight).english == sentence)
    }

    @Test func `the activity that needs its player most is the most relevant`() throws {
        let scores = [Relevance.heroDown, .ownTurn, .bossFight, .journey].map(\.score)
        #expect(scores == scores.sorted(by: >))
        #expect(Relevance(of: .sampleJourney, for: spouty) == .journey)
        try Adventure.play(.sampleFight) { _, adventure in
            for seat in [spouty, ember] {
                let expected: Relevance =
                    if adventure.heroes[seat.rawValue].isDown {
                        .heroDown
                    } else {
                        adventure.turn?.hero == seat ? .ownTurn : .bossFight
                    }
                #expect(Relevance(of: adventure, for: seat) == expected)
            }
        }
    }
}
