import Testing

@testable import GameCore

/// The stored form of adventures.
struct StoredAdventureTests {
    @Test(arguments: AdventureKind.allCases, 1...8)
    func `an adventure continues identically after encoding and decoding`(kind: AdventureKind, size: Int) throws {
        for seed in GameWorld.seeds.prefix(5) {
            let opening = GameWorld.opening(kind, heroes: size, seed: seed)
            var play = RandomPlay(opening, seed: seed)
            play.playOut()

            // As the server does: decode, advance and encode for every input.
            var expected = opening
            var stored = opening.encoded
            for input in play.inputs {
                var decoded = try Adventure(encoded: stored)
                #expect(decoded == expected && decoded.encoded == stored, "seed \(seed)")
                #expect(try decoded.advance(input) == expected.advance(input), "seed \(seed)")
                stored = decoded.encoded
            }
            #expect(try Adventure(encoded: stored) == play.adventure, "seed \(seed)")
        }
    }

    @Test(arguments: GoldenState.all) func `stored adventures are decoded and encoded unchanged`(text: String) throws {
        #expect(try Adventure(encoded: text).encoded == text)
    }

    @Test func `a stored journey decodes to its state`() throws {
        let journey = try Adventure(encoded: GoldenState.journey)
        #expect(journey.kind == .journey && journey.status == .running && journey.outcome == nil)
        #expect(journey.tick == 20 && journey.sequence == 41 && journey.rules == .v2)
        #expect(journey.region == "forest" && journey.location == "hollow-oak" && journey.foe == "wolves")
        #expect(journey.progress == JourneyProgress(step: 20, steps: 61))
        #expect(journey.generator.state == 0x8a80_43bc_eaba_925e)
        #expect(journey.heroes.map(\.health) == [76, 0, 105])
        #expect(journey.heroes.map(\.level) == [2, 3, 1])
        #expect(journey.heroes.map(\.startingLevel) == [1, 3, 1])
        #expect(journey.heroes.map(\.hasLeft) == [false, false, true])
        guard case .journey(let scene) = journey.scene else { return }
        #expect(scene.beatsReached == 1 && scene.dangerPercent == 118)
        #expect(scene.encounter == Journey.Encounter(foe: "wolves", health: 20, maximumHealth: 44))
    }

    @Test func `a stored fight decodes to its state`() throws {
        let fight = try Adventure(encoded: GoldenState.fight)
        let boss = try #require(fight.boss)
        #expect(boss.id == "stonejaw" && boss.health == 61 && boss.maximumHealth == 405 && boss.phase == 3)
        #expect(boss.attack == 63 && boss.attackOnAll == 65)
        #expect(boss.announcement == .crush(.second) && boss.weakenedTurns == 2 && boss.exposedBlows == 3)
        #expect(fight.turn == Turn(number: 38, hero: .first))
        #expect(fight.heroes.map(\.cooldown) == [2, 0, 0])
        #expect(fight.heroes.map(\.policy) == [.guard, .skip, .automatic])
        #expect(fight.heroes.map(\.isGuarding) == [true, true, false])
        #expect(fight.heroes.map(\.isChallenging) == [false, true, false])
        #expect(fight.heroes.map(\.hasLeft) == [false, false, true])
        #expect(fight.heroes.map(\.potions) == [1, 2, 0])
        #expect(fight.brokenInvariants == [])
    }

    @Test func `stored adventures that are ready, announced or ended decode to their state`() throws {
        var ready = try Adventure(encoded: GoldenState.ready)
        #expect(ready.status == .ready && ready.tick == 0 && ready.sequence == 0 && ready.turn == nil)
        #expect(try ready.advance(.start).last == .turnStarted(turn: 1, hero: .first))
        let announced = try Adventure(encoded: GoldenState.announced)
        #expect(announced.boss?.announcement == .heavyAttack && announced.turn == Turn(number: 6, hero: nil))
        let ended = try Adventure(encoded: GoldenState.ended)
        #expect(ended.outcome == .partyWiped && ended.rules == .v3 && ended.heroes[0].level == 20)
    }

    @Test func `eight heroes take less than two thousand bytes`() throws {
        var fight = try GameWorld.fight(GameWorld.party(of: 8))
        for _ in 0..<20 { _ = try fight.advance(.tick) }
        #expect(fight.encoded.utf8.count < 2_000)
    }
}
