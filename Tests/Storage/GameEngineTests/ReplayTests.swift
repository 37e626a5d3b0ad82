import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import ServiceRuntime
import TestSupport
import Testing

/// Replays of stored adventures.
@Suite struct ReplayTests {
    @Test func `a fight with commands, joining and leaving members, and an end replays identically`() async throws {
        try await World.with { world in
            let (ada, ben) = (
                try await world.player("Ada", hero: "zippy"), try await world.player("Ben", hero: "ember")
            )
            let party = try await world.party(of: [ada, ben])
            let stored = try await world.commands.startBossFight(of: party.id, against: "cinderwing", by: .test)
            func run(_ command: Command, by player: PlayerID) async throws {
                do {
                    _ = try await world.commands.perform(command, in: stored.id, by: player, request: nil) { _, _ in
                        EncodedResponse(status: 200, body: "")
                    }
                } catch CommandError.adventure {
                    // The turn may have passed, for example. A refused command is no input.
                }
            }
            try await run(.policy(.guard), by: ben)
            for step in 0..<8 {
                let adventure = try #require(try await world.store.adventure(stored.id)).adventure
                if let seat = adventure.turn?.hero, step % 3 != 2 {
                    let hero = adventure.heroes[seat.rawValue]
                    try await run(hero.cooldown == 0 && step > 2 ? .special : .attack, by: hero.playerID)
                } else {
                    world.clock.advance(by: .seconds(15))
                    _ = try await world.engine().runPollCycle()
                }
                if step == 4 { _ = try await world.join(party, try await world.player("Cleo", hero: "inky")) }
            }
            let running = try #require(try await world.store.replay(stored.id))
            #expect(running.stored.endedAt == nil && running.events == running.stored.adventure.sequence)
            _ = try await world.commands.end(stored.id, by: .test)
            let ended = try #require(try await world.store.replay(stored.id))
            #expect(ended.stored.adventure.outcome == .endedByOperator && ended.events == running.events + 1)
            #expect(try await world.store.inputs(of: stored.id).count >= 5)
        }
    }

    @Test func `there is no replay of an unknown adventure`() async throws {
        try await World.with { world in
            var generator = world.runtime.generator()
            let unknown = AdventureID(at: world.clock.now, using: &generator)
            let replay = try await world.store.replay(unknown)
            #expect(replay == nil)
        }
    }
}
