import GameCore
import GameEngine
import GameStore
import GameTestSupport
import TestSupport
import Testing

/// Replays of stored adventures.
@Suite struct ReplayTests {
    private func verdict(_ world: World, _ id: AdventureID) async throws -> ReplayVerdict {
        let record = try #require(try await world.store.record(of: id))
        return Adventure.checkReplay(
            of: record.opening,
            inputs: record.inputs,
            log: record.events.map { ($0.sequence, $0.event) },
            stored: record.newest
        )
    }

    @Test func `a fight with commands, joining and leaving members, and an end replays identically`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player("Ada", hero: "zippy"), try await world.player("Ben"))
            let party = try await world.party(of: [ada, ben])
            let stored = try await world.commands.startBossFight(of: party.id, against: "cinderwing", by: .test)
            func run(_ command: Command, by player: PlayerID) async throws {
                _ = try await world.commands.perform(command, in: stored.id, by: player, request: nil) { _, _ in
                    EncodedResponse(status: 200, body: "")
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
            #expect(try await verdict(world, stored.id) == .same)
            _ = try await world.commands.end(stored.id, by: .test)
            #expect(try await verdict(world, stored.id) == .same)
            let record = try #require(try await world.store.record(of: stored.id))
            #expect(record.inputs.count >= 7 && record.events.count == record.newest.sequence)
        }
    }

    @Test func `a journey played to its end replays identically`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben", hero: "boulder")])
            let stored = try await world.startJourney(party)
            let engine = world.engine()
            while try await world.party(party.id).adventureID != nil {
                world.clock.advance(by: .seconds(10))
                _ = try await engine.runPollCycle()
            }
            let record = try #require(try await world.store.record(of: stored.id))
            #expect(record.newest.outcome != nil)
            #expect(try await verdict(world, stored.id) == .same)
        }
    }

    @Test func `heroes keep their experience for the next adventure`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben", hero: "boulder")])
            _ = try await world.startJourney(party)
            let engine = world.engine()
            var last: Adventure?
            while let id = try await world.party(party.id).adventureID {
                world.clock.advance(by: .seconds(10))
                _ = try await engine.runPollCycle()
                last = try await world.store.adventure(id)?.adventure
            }
            let experience = try #require(last).heroes.map(\.experience)
            #expect(experience.contains { $0 > 0 })
            #expect(try await world.party(party.id).members.map(\.experience) == experience)
            let next = try await world.commands.startBossFight(of: party.id, against: "glitch", by: .test).adventure
            #expect(next.heroes.map(\.experience) == experience)
        }
    }
}
